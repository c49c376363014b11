import ArgumentParser
import Files
import PracticeLog
import Validation

/// The options that select takes of the practice log.
struct LogFilterOptions: ParsableArguments {
  @Flag(help: "The takes of today.") var today = false
  @Flag(help: "The takes of the last seven days.") var week = false
  @Flag(help: "All takes.") var all = false
  @Option(
    help: "The takes since a day, such as 2026-11-01.", transform: { try LogFilterOptions.day("since", $0) })
  var since: Day?
  @Option(
    help:
      "The takes of songs whose title contains this; 'metronome' for takes without a document. Takes of all time, unless another option limits it."
  )
  var song: String?

  func validate() throws {
    guard [today, week, all, since != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("--today, --week, --all and --since exclude each other: use only one")
    }
  }

  /// Reads a date.
  /// - Parameter name: the option's name, for the message.
  /// - Throws: `InvalidValue`.
  static func day(_ name: String, _ text: String) throws -> Day {
    guard let day = Day(text) else {
      throw InvalidValue(name, quoted(text), allowed: "a date such as 2026-11-23")
    }
    return day
  }

  /// The filter for the selected takes, and its description.
  /// - Parameters:
  ///   - now: milliseconds since the Unix epoch.
  ///   - days: how many days are selected without options; nil for all takes.
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

/// The destination of a text of any length: a file or standard output.
struct OutputOption {
  /// nil for standard output.
  private let path: String?

  init(_ path: String?) { self.path = path == "-" ? nil : path }

  /// Writes text. A file appears only when it is complete.
  /// - Throws: `CommandError`; an existing file is then unchanged.
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
