/// Learns from what each pulse strays from the time foreseen how wide a clock's jitter is, and whether the strays are
/// more than jitter.
struct PulseJitter: BitwiseCopyable {
  /// The mean distance of the pulses from the times foreseen, in frames.
  private var meanDistance = 0.0
  /// Pulses that tell of it; of more than 64 the old ones are forgotten.
  private var witnesses = 0.0
  /// A running mean over 16 pulses of what they stray; near 0 while phase and tempo are right.
  private var bias = 0.0

  /// The jitter as a standard deviation in frames; no less than what rounding to whole frames may do.
  /// (The mean distance is taken for want of a square root, and is 0.80…0.87 of that.)
  var deviation: Double { @_noLocks get { max(1.2 * meanDistance, 0.5) } }

  /// What the deviation may be as far as the pulses so far can tell.
  var ceiling: Double { @_noLocks get { (1 + 6 / witnesses) * deviation } }

  /// Whether the pulses stray to one side: at a deviation of mere jitter, five times what their mean over 16 may be.
  var isBiased: Bool { @_noLocks get { bias > deviation || bias < -deviation } }

  @_noLocks
  init() {}

  /// - Parameters:
  ///   - stray: frames from the time foreseen.
  ///   - weight: the pulses on which that time rests, two at least; what is foreseen from few strays more.
  @_noLocks
  mutating func note(_ stray: Double, foreseenFrom weight: Double) {
    // The variance is that times 1 + x, and √(1 + x) nearly 1 + x/2.
    var scaled = stray / (1 + (2 * weight + 1) / (weight * (weight - 1)))
    // A change of tempo must not pass for jitter.
    if witnesses >= 8 { scaled = min(max(scaled, -4 * deviation), 4 * deviation) }
    bias += (scaled - bias) / 16
    witnesses = min(witnesses + 1, 64)
    meanDistance += ((scaled < 0 ? -scaled : scaled) - meanDistance) / witnesses
  }

  @_noLocks
  mutating func forgetBias() { bias = 0 }
}
