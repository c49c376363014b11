/// The grid in ticks, any number of equal parts of a whole note, counted from the origin in 2⁻⁶⁴ ticks. Ticks place the
/// pulses of layers, which need not fall on a step of the bar.
extension BarGrid {
  /// The time of a place relative to the origin, exact to 2⁻⁶⁴ frames, rounded up.
  /// - Precondition: `ticks` ≥ 0, and the frame fits 63 bits.
  /// - Parameters:
  ///   - ticks: 2⁻⁶⁴ ticks.
  ///   - whole: ticks in a whole note, at least 1 and less than 2³².
  /// - Thread: any, audio
  @_noLocks
  package func time(ofTicks ticks: Int128, perWhole whole: Int) -> FrameDuration {
    // A pulse of the MIDI clock is a 96th of a whole note.
    let (time, rest) = divide(
      ticks, times: framesPerPulse.numerator * 96, by: framesPerPulse.denominator * Int128(whole))
    return FrameDuration(raw: rest > 0 ? time + 1 : time)
  }

  /// The ticks at a time that is not before the origin, in 2⁻⁶⁴ ticks, rounded down. The inverse of `time(ofTicks:perWhole:)`.
  /// - Thread: any, audio
  @_noLocks
  package func ticks(at time: FrameDuration, perWhole whole: Int) -> Int128 {
    divide(
      time.raw, times: framesPerPulse.denominator * Int128(whole), by: framesPerPulse.numerator * 96
    ).quotient
  }
}
