import TimeCheck

/// The totals and means of several takes.
package struct PracticeTotals: Equatable, Sendable {
  /// The number of takes.
  package private(set) var takes = 0
  /// Their lengths together, in seconds.
  package private(set) var seconds = 0.0
  private var calibratedHits = 0.0
  private var meanSum = 0.0
  private var spreadHits = 0.0
  private var squares = 0.0

  package init() {}

  /// Adds a take. Values out of their range are limited or ignored.
  package mutating func add(_ take: LoggedTake) {
    takes += 1
    // A damaged log may contain any number.
    if take.seconds.isFinite { seconds += min(max(take.seconds, 0), 1e9) }
    let hits = Double(max(take.hits, 0))
    if take.isCalibrated, take.mean.isFinite {
      calibratedHits += hits
      meanSum += hits * take.mean
    }
    if let spread = take.spread?.value, spread.isFinite {
      spreadHits += hits
      squares += hits * spread * spread
    }
  }

  /// The mean asynchrony of all hits of calibrated takes, in milliseconds; nil if there are none.
  package var mean: Double? { calibratedHits > 0 ? meanSum / calibratedHits : nil }

  /// The root mean square of the takes' spreads, weighted by their hits, in milliseconds; nil if none is known.
  package var spread: Double? { spreadHits > 0 ? (squares / spreadHits).squareRoot() : nil }

  /// For example `6.1 ms early, spread 10.7 ms`; empty if neither is known.
  package var words: String {
    let parts = [
      mean.map { TimingWords.lateness($0) }, spread.map { "spread \(TimingWords.number($0)) ms" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// For example `3 takes, 12:30 min practised`.
  package var amount: String {
    "\(takes) \(takes == 1 ? "take" : "takes"), \(PracticeTotals.length(seconds)) practised"
  }

  /// A length in minutes and seconds, or in hours and minutes from an hour on; `–` if it is negative or not finite.
  package static func length(_ seconds: Double) -> String {
    guard seconds.isFinite, 0..<1e9 ~= seconds else { return "–" }
    let whole = Int(seconds.rounded())
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    if whole < 3_600 { return "\(whole / 60):\(two(whole % 60)) min" }
    return "\(whole / 3_600) h \(two(whole / 60 % 60)) min"
  }
}
