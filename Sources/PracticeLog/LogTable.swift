import TimeCheck
import Validation

/// The table of `tactus log`: a line for each take, without a line end.
package struct LogTable {
  private let zone: Zone
  private static let widest = 26

  package init(zone: Zone) { self.zone = zone }

  package var header: String {
    line("take", "when", "what", "length", "tempo", "hits", "early/late", "spread", "missed")
  }

  package func row(_ take: LoggedTake) -> String {
    line(
      "\(take.number)", "\(Day(take.began, in: zone).named) \(Clock(take.began, in: zone))",
      LogTable.what(take), PracticeTotals.length(take.seconds), LogTable.tempo(take), "\(take.hits)",
      take.isCalibrated ? TimingWords.lateness(take.mean) : "uncalibrated",
      take.spread.map { "\(TimingWords.number($0.value)) ms" } ?? "–", "\(take.missed)")
  }

  private static func what(_ take: LoggedTake) -> String {
    let name = printable(take.music.title.isEmpty ? "\(take.name) \(take.music.meter)" : take.name)
    return name.count > widest ? name.prefix(widest - 1) + "…" : name
  }

  /// The tempo, for example `120`, or `80–120` if it changed; `–` if it is not known.
  package static func tempo(_ take: LoggedTake) -> String {
    guard let tempo = take.tempo else { return "–" }
    let (low, high) = (TimingWords.number(tempo.low), TimingWords.number(tempo.high))
    return low == high ? low : "\(low)–\(high)"
  }

  private func line(
    _ number: String, _ when: String, _ what: String, _ length: String, _ tempo: String, _ hits: String,
    _ mean: String, _ spread: String, _ missed: String
  ) -> String {
    [
      LogTable.right(number, 5), LogTable.left(when, 16), LogTable.left(what, LogTable.widest),
      LogTable.right(length, 10), LogTable.right(tempo, 9), LogTable.right(hits, 6),
      LogTable.right(mean, 13), LogTable.right(spread, 9), LogTable.right(missed, 6),
    ].joined(separator: "  ")
  }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }
}
