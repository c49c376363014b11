import Engine

/// Undoes PipeWire's rounding of a leader's tick.
///
/// PipeWire passes a leader's bar, beat and whole tick as one number of beats, and computes the tick from it again (`jack_to_position`
/// and `position_to_jack` in pipewire-jack.c, 0.3.65 to 1.6). Because of rounding, the result is the leader's tick, or one less. The
/// same computation tells which ticks lead to a result; for about half of all results, only one does.
enum PipeWireTick {
  /// The reading with the leader's own tick, or with `mayTickBeLow`.
  /// - Thread: audio
  @_noLocks
  static func corrected(_ reading: Cycle.Leader) -> Cycle.Leader {
    let whole = PipeWireTick.whole(reading)
    guard !reading.isTickExact, reading.ticksPerBeat >= 1, reading.ticksPerBeat < 1e6, reading.tick >= 0,
      reading.tick < reading.ticksPerBeat, whole > -1e9, whole < 1e9
    else { return reading }
    let isSame = passed(reading.tick, reading) == reading.tick
    let next = reading.tick + 1
    let isLower = next < reading.ticksPerBeat && passed(next, reading) == reading.tick
    var corrected = reading
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
