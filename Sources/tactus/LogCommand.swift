import ArgumentParser
import Files
import Glibc
import PracticeLog
import Realtime
import Validation

/// `tactus log`: the practice log.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show, export or forget takes of the practice log.",
    discussion: """
      While Tactus listens (--listen, --hits), it keeps each take when it ends, only in $XDG_DATA_HOME/tactus/practice.sqlite, usually
      ~/.local/share/tactus/practice.sqlite.
      """,
    subcommands: [LogList.self, LogExportCommand.self, LogForget.self], defaultSubcommand: LogList.self)

  /// Opens the user's log.
  /// - Throws: `CommandError`.
  static func open(_ purpose: LogDatabase.Purpose) throws -> LogDatabase {
    try explaining { try LogDatabase(.own, for: purpose) }
  }

  /// Runs a body; converts a `LogError` to a `CommandError`.
  static func explaining<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as LogError {
      throw failure(error)
    }
  }

  /// Converts an error of the log.
  static func failure(_ error: LogError) -> CommandError {
    let advice =
      error.kind == .damaged ? "; it is moved aside, and a new log created, when the next take is kept" : ""
    return CommandError("\(error)\(advice)", code: error.kind == .missing ? .noInput : .unavailable)
  }

  /// Milliseconds since the Unix epoch.
  static var now: Int64 { Instant.now.onWallClock / 1_000_000 }
}

/// `tactus log list`.
struct LogList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List takes with date, song, length and timing; without options those of the last seven days.")

  @OptionGroup var takes: LogFilterOptions

  func run() throws {
    try CommandError.reported {
      let database = try LogCommand.open(.reading)
      let (filter, words) = takes.filter(now: LogCommand.now, days: 7)
      let table = LogTable(zone: .local)
      var totals = PracticeTotals()
      try OutputOption(nil).write { output in
        try database.eachTake(filter) { take in
          if totals.takes == 0 { try output.write(table.header + "\n") }
          totals.add(take)
          try output.write(table.row(take) + "\n")
        }
        try output.write(LogList.footer(totals, words) + "\n")
      }
    }
  }

  private static func footer(_ totals: PracticeTotals, _ words: String) -> String {
    guard totals.takes > 0 else { return "\(words): none; --all lists all" }
    let figures = totals.words.isEmpty ? "" : ": \(totals.words)"
    return "\(totals.amount)\(figures)"
  }
}

/// `tactus log export`.
struct LogExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract:
      "Write takes for other programs with exact values: --csv or --json is needed; all takes without more options."
  )

  @Flag(help: "Comma-separated values, a line for each take.") var csv = false
  @Flag(help: "An array of JSON, an object for each take.") var json = false
  @Flag(help: "Write each hit: with --csv instead of the takes, with --json within them.") var hits = false
  @OptionGroup var takes: LogFilterOptions
  @Argument(
    help: "The file to write; standard output without it.", completion: .file(extensions: ["csv", "json"]))
  var file: String?

  func validate() throws {
    guard csv != json else { throw ValidationError("one of --csv and --json is needed") }
  }

  func run() throws {
    try CommandError.reported {
      let database = try LogCommand.open(.reading)
      let (filter, _) = takes.filter(now: LogCommand.now, days: nil)
      let export = LogExport(json ? .json : .csv, zone: .local, hasHits: hits)
      try OutputOption(file).write { try export.write(database, filter, to: &$0) }
    }
  }
}

/// `tactus log forget`.
struct LogForget: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Erase takes permanently: one by its number, those before a day, or all.")

  @Option(help: "The number of the take, as the list shows it.") var take: Int64?
  @Option(
    help: "The takes before a day, such as 2026-11-01.",
    transform: { try LogFilterOptions.day("before", $0) })
  var before: Day?
  @Flag(help: "All takes.") var all = false
  @Flag(help: "Don't ask.") var yes = false

  func validate() throws {
    guard [take != nil, before != nil, all].count(where: { $0 }) == 1 else {
      throw ValidationError("one of --take, --before and --all is needed")
    }
  }

  func run() throws {
    try CommandError.reported {
      let database = try LogCommand.open(.forgetting)
      let filter = LogFilter(before: before.map { Zone.local.start(of: $0) }, number: take)
      var totals = PracticeTotals()
      try LogCommand.explaining { try database.eachTake(filter) { totals.add($0) } }
      guard totals.takes > 0 else {
        guard let take else { return print("nothing to forget") }
        throw CommandError("take \(take): must be one that 'tactus log --all' lists", code: .noInput)
      }
      guard try yes || LogForget.confirms(totals) else { return print("nothing was forgotten") }
      let (count, isHeld) = try LogCommand.explaining { try database.forget(filter) }
      print("\(count) \(count == 1 ? "take" : "takes") forgotten")
      if isHeld {
        StandardError.write(
          "tactus: another program reads the log, so its journal still contains the forgotten takes: end that program, and run this command again"
        )
      }
      for path in LogForget.setAside(database.path) {
        StandardError.write(
          "tactus: the damaged log \(path) still contains its takes: remove the file yourself")
      }
    }
  }

  private static func confirms(_ totals: PracticeTotals) throws -> Bool {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw CommandError("to forget \(totals.amount), confirm it in a terminal, or add --yes", code: .usage)
    }
    StandardError.put("Forget \(totals.amount)? This can't be undone. [y/N] ")
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }

  /// Damaged logs that were moved aside.
  private static func setAside(_ path: String) -> [String] {
    let folder = folder(of: path)
    let beginning = path.dropFirst(folder.count + 1) + ".damaged"
    return names(inFolder: folder).filter { $0.hasPrefix(beginning) }.sorted().map { "\(folder)/\($0)" }
  }
}

/// `tactus report`.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a practice report: one HTML page with plots, for any browser.",
    discussion:
      "The page needs no network and no other file. Without options it contains all takes; the last ten are drawn."
  )

  @OptionGroup var takes: LogFilterOptions
  @Argument(
    help: "The file to write, or - for standard output.", completion: .file(extensions: ["html"]))
  var file = "practice-report.html"

  func run() throws {
    try CommandError.reported {
      let database = try LogCommand.open(.reading)
      let (filter, words) = takes.filter(now: LogCommand.now, days: nil)
      let page = ReportPage(zone: .local, range: words)
      try OutputOption(file).write { try page.write(database, filter, to: &$0) }
      if file != "-" {
        print("written to \(printable(absolutePath(file), limit: 4_096)): open it in a browser")
      }
    }
  }
}
