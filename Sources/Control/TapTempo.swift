import MusicTime

/// Finds the tempo of a row of taps: the slope of the least-squares line through them.
///
/// A row ends when a tap comes later than the slowest tempo allows, or strays by more than a fifth from the interval that
/// the line foresees; that tap and the one before begin a new row.
struct TapTempo {
  /// Taps that count; older ones are forgotten, so that a drifting foot is followed.
  static let longestRow = 16
  /// The share of an interval by which a tap may stray.
  static let tolerance = 0.2
  /// Seconds after which a row has ended: one beat at the slowest tempo that anybody taps, 20 beats a minute.
  static let timeout = 3.0

  private var taps: [Double] = []

  /// Takes a tap.
  /// - Parameter seconds: when it happened, by any clock that all taps share.
  /// - Returns: beats a minute, or nil for the first tap of a row.
  mutating func tap(at seconds: Double) -> Double? {
    guard let last = taps.last else {
      taps = [seconds]
      return nil
    }
    let interval = seconds - last
    // Two messages from one tap (press and release, a bouncing contact) are no tempo: 1200 beats a minute.
    if abs(interval) < 0.05 { return nil }
    guard interval > 0, interval < TapTempo.timeout else {
      taps = [seconds]
      return nil
    }
    if taps.count >= 2, abs(interval / period - 1) > TapTempo.tolerance { taps = [last] }
    taps.append(seconds)
    if taps.count > TapTempo.longestRow { taps.removeFirst() }
    return 60 / period
  }

  /// Seconds between taps: Σ(i − ī)(t − t̄) / Σ(i − ī)², with Σ(i − ī)² = n(n² − 1)/12.
  private var period: Double {
    let count = Double(taps.count)
    let meanIndex = (count - 1) / 2
    // Times are taken from the first tap on, so that a large clock value costs no precision.
    let slope = taps.enumerated().reduce(0) { $0 + (Double($1.offset) - meanIndex) * ($1.element - taps[0]) }
    return slope / (count * (count * count - 1) / 12)
  }
}
