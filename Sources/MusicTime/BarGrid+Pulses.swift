/// The grid in MIDI clock pulses, 24 per quarter note for every meter and beat unit, counted from the origin in 2⁻⁶⁴
/// pulses.
extension BarGrid {
  /// The time of a pulse relative to the origin, exact to 2⁻⁶⁴ frames, rounded up.
  /// - Precondition: the frame fits 63 bits.
  /// - Thread: any, audio
  @_noLocks
  package func time(ofPulses pulses: Int128) -> FrameDuration {
    // Convert whole multiples separately, so that no product is larger than the result.
    let (numerator, denominator) = (framesPerPulse.numerator, framesPerPulse.denominator)
    let (quotient, rest) = floorDivide(pulses, denominator)
    return FrameDuration(raw: quotient * numerator + (rest * numerator + denominator - 1) / denominator)
  }

  /// The pulses at a time relative to the origin, rounded down. The inverse of `time(ofPulses:)`.
  /// - Thread: any, audio
  @_noLocks
  package func pulses(at time: FrameDuration) -> Int128 {
    let (quotient, rest) = floorDivide(time.raw, framesPerPulse.numerator)
    return quotient * framesPerPulse.denominator + rest * framesPerPulse.denominator
      / framesPerPulse.numerator
  }

  /// The pulses at a step of a bar, rounded down.
  /// - Parameter bar: from 1.
  /// - Thread: any, audio
  @_noLocks
  package func pulses(bar: Int, step: Int) -> Int128 {
    let steps = Int128(bar - 1) * Int128(stepsPerBar) + Int128(step)
    return floorDivide(steps << 64 * 96, Int128(stepsPerWhole)).quotient
  }
}
