import TimeCheck

/// What several takes come to.
package struct PracticeTotals: Equatable, Sendable {
  package private(set) var takes = 0
  package private(set) var seconds = 0.0
  private var calibratedHits = 0.0
  private var meanSum = 0.0
  private var spreadHits = 0.0
  private var squares = 0.0

  package init() {}

  package mutating func add(_ take: LoggedTake) {
    takes += 1
    // A damaged log may hold any number.
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

  /// The mean of all hits of calibrated takes, in milliseconds; nil without any.
  package var mean: Double? { calibratedHits > 0 ? meanSum / calibratedHits : nil }

  /// The spread within the takes, in milliseconds; nil where none is known.
  package var spread: Double? { spreadHits > 0 ? (squares / spreadHits).squareRoot() : nil }

  /// Such as `6.1 ms early, spread 10.7 ms`; empty where neither is known.
  package var words: String {
    let parts = [
      mean.map { TimingWords.lateness($0) }, spread.map { "spread \(TimingWords.number($0)) ms" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// Such as `3 takes, 12:30 minutes`.
  package var amount: String {
    "\(takes) \(takes == 1 ? "take" : "takes"), \(PracticeTotals.length(seconds)) practised"
  }

  /// A length in minutes and seconds, or hours and minutes.
  package static func length(_ seconds: Double) -> String {
    guard seconds.isFinite, 0..<1e9 ~= seconds else { return "–" }
    let whole = Int(seconds.rounded())
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    if whole < 3_600 { return "\(whole / 60):\(two(whole % 60)) min" }
    return "\(whole / 3_600) h \(two(whole / 60 % 60)) min"
  }
}
