/// Estimates a clock's jitter from the prediction errors of its pulses, and detects errors that are larger than
/// jitter.
struct PulseJitter: BitwiseCopyable {
  /// The mean absolute prediction error, in frames.
  private var meanDistance = 0.0
  /// The number of errors in the estimate, at most 64: older ones are forgotten.
  private var witnesses = 0.0
  /// A running mean of the errors over 16 pulses; near 0 while phase and tempo are right.
  private var bias = 0.0

  /// The jitter's standard deviation in frames; at least the error of rounding to whole frames.
  /// (Computed from the mean absolute error, which is 0.80…0.87 of it: the callback has no square root.)
  var deviation: Double { @_noLocks get { max(1.2 * meanDistance, 0.5) } }

  /// An upper bound of the deviation, given the number of errors seen so far.
  var ceiling: Double { @_noLocks get { (1 + 6 / witnesses) * deviation } }

  /// Whether the errors have a bias: their mean over 16 exceeds five times the value that jitter alone explains.
  var isBiased: Bool { @_noLocks get { bias > deviation || bias < -deviation } }

  @_noLocks
  init() {}

  /// - Parameters:
  ///   - stray: the prediction error in frames.
  ///   - weight: the number of pulses in the prediction, at least 2. Predictions from few pulses have larger errors.
  @_noLocks
  mutating func note(_ stray: Double, foreseenFrom weight: Double) {
    // The variance of the prediction error is the jitter's times 1 + x, and √(1 + x) is nearly 1 + x/2.
    var scaled = stray / (1 + (2 * weight + 1) / (weight * (weight - 1)))
    // Limit outliers, so that a tempo change does not count as jitter.
    if witnesses >= 8 { scaled = min(max(scaled, -4 * deviation), 4 * deviation) }
    bias += (scaled - bias) / 16
    witnesses = min(witnesses + 1, 64)
    meanDistance += ((scaled < 0 ? -scaled : scaled) - meanDistance) / witnesses
  }

  @_noLocks
  mutating func forgetBias() { bias = 0 }

  /// Converts to another length of a frame.
  /// - Parameter ratio: the new sample rate divided by the old one.
  @_noLocks
  mutating func scale(by ratio: Double) {
    meanDistance *= ratio
    bias *= ratio
  }
}
