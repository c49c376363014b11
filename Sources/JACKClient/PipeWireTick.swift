import Engine

/// Undoes PipeWire's rounding of a leader's tick.
///
/// PipeWire passes a leader's bar, beat and whole tick as one number of beats, and computes the tick from it again (`jack_to_position`
/// and `position_to_jack` in pipewire-jack.c). Because of rounding, the result is the leader's tick, or one less. From PipeWire 1.4 on the
/// same computation tells which ticks lead to a result; often only one does. Older versions do not pass the leader's ticks per beat.
enum PipeWireTick {
  /// The reading with the leader's own tick, or with `mayTickBeLow`.
  /// - Parameter isKnown: whether this PipeWire passes ticks as 1.4 does.
  /// - Thread: audio
  @_noLocks
  static func corrected(_ reading: Cycle.Leader, isKnown: Bool = true) -> Cycle.Leader {
    var corrected = reading
    guard isKnown else {
      corrected.mayTickBeLow = !reading.isTickExact
      return corrected
    }
    let whole = PipeWireTick.whole(reading)
    guard !reading.isTickExact, reading.ticksPerBeat >= 1, reading.ticksPerBeat < 1e6, reading.tick >= 0,
      reading.tick < reading.ticksPerBeat, whole > -1e9, whole < 1e9
    else { return reading }
    let isSame = passed(reading.tick, reading) == reading.tick
    let next = reading.tick + 1
    let isLower = next < reading.ticksPerBeat && passed(next, reading) == reading.tick
    if isSame, isLower { corrected.mayTickBeLow = true } else if isLower { corrected.tick = next }
    return corrected
  }

  /// The beats before the reading's beat, from the start of bar 0. PipeWire computes them in single precision.
  @_noLocks
  private static func whole(_ reading: Cycle.Leader) -> Double {
    Double(Float(reading.bar) * Float(reading.beatsPerBar) + Float(reading.beat - 1))
  }

  /// The tick that clients see if the leader publishes this one.
  @_noLocks
  private static func passed(_ tick: Double, _ reading: Cycle.Leader) -> Double {
    let whole = whole(reading)
    let beats = whole + tick / reading.ticksPerBeat
    return Double(Int64((beats - whole) * reading.ticksPerBeat))
  }
}
