import MusicTime

/// Computes the tempo of a row of taps with a least-squares line.
///
/// A tap later than the slowest tempo allows begins a new row. A tap whose interval differs from the line's interval by more
/// than a fifth also does; the new row then includes the previous tap.
struct TapTempo {
  /// Maximum number of taps in a row. Older ones are dropped, to follow a drifting foot.
  static let longestRow = 16
  /// The fraction of an interval by which a tap may deviate.
  static let tolerance = 0.2
  /// Seconds after which a row ends: one beat at 20 beats per minute.
  static let timeout = 3.0

  private var taps: [Double] = []

  /// Handles a tap.
  /// - Parameter seconds: the time of the tap, on any clock that all taps share.
  /// - Returns: beats per minute; nil for the first tap of a row.
  mutating func tap(at seconds: Double) -> Double? {
    guard let last = taps.last else {
      taps = [seconds]
      return nil
    }
    let interval = seconds - last
    // Ignore two messages from one tap: press and release, or a bouncing contact.
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
    // Relative to the first tap, because large clock values would cost precision.
    let slope = taps.enumerated().reduce(0) { $0 + (Double($1.offset) - meanIndex) * ($1.element - taps[0]) }
    return slope / (count * (count * count - 1) / 12)
  }
}
