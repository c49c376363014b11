import ArgumentParser
import Files
import PracticeLog
import Validation

/// Which takes of the practice log are meant.
struct LogFilterOptions: ParsableArguments {
  @Flag(help: "The takes of today.") var today = false
  @Flag(help: "The takes of the last seven days.") var week = false
  @Flag(help: "All takes.") var all = false
  @Option(
    help: "The takes since a day, such as 2026-11-01.", transform: { try LogFilterOptions.day("since", $0) })
  var since: Day?
  @Option(
    help:
      "The takes of songs whose title contains this; 'metronome' for those without a document. Of all time, unless another option says when."
  )
  var song: String?

  func validate() throws {
    guard [today, week, all, since != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("--today, --week, --all and --since exclude each other: leave all but one out")
    }
  }

  static func day(_ name: String, _ text: String) throws -> Day {
    guard let day = Day(text) else {
      throw InvalidValue(name, quoted(text), allowed: "a date such as 2026-11-23")
    }
    return day
  }

  /// The takes that are meant, and that in words.
  /// - Parameters:
  ///   - now: milliseconds since the Unix epoch.
  ///   - days: what is meant where no option says; nil for all.
  func filter(now: Int64, days: Int?) -> (filter: LogFilter, words: String) {
    var (filter, words) = (LogFilter(), "all takes")
    let count = today ? 1 : week ? 7 : all || song != nil ? nil : days
    if let since {
      (filter, words) = (LogFilter(since: Zone.local.start(of: since)), "the takes since \(since)")
    } else if let count {
      filter = LogFilter.days(count, until: now, in: .local)
      words = count == 1 ? "the takes of today" : "the takes of the last \(count) days"
    }
    filter.song = song
    if let song { words += " of \(quoted(song))" }
    return (filter, words)
  }
}

/// Where text of any length is written to.
struct OutputOption {
  /// nil for standard output.
  private let path: String?

  init(_ path: String?) { self.path = path == "-" ? nil : path }

  /// Writes a file whole, or not at all; or to standard output.
  func write(_ body: (inout TextOutput) throws -> Void) throws {
    if let path, LogFile.own.isReplaced(by: path) {
      throw CommandError(
        "\(printable(path, limit: 4_096)) is the practice log: name another file", code: .cannotCreate)
    }
    var output: TextOutput
    do {
      output = try TextOutput(path)
      try body(&output)
      try output.finish()
    } catch let error as LogError {
      throw LogCommand.failure(error)
    } catch let error as WriteError {
      throw CommandError("\(error)", code: .cannotCreate)
    }
  }
}
