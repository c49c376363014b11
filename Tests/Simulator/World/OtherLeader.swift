import Engine

/// Another client that leads the transport: bar 1 is at frame 0, and it tells whole ticks.
struct OtherLeader {
  private static let ticksPerBeat = 1_920.0
  let beatsPerMinute: Double
  let notes: Int
  let unit: Int

  private func position(_ frame: UInt32, rate: Int) -> Double {
    Double(frame) * beatsPerMinute / 60 / Double(rate)
  }

  /// Nanoseconds from the nearest of its notes.
  func distance(_ frame: Double, rate: Int) -> Double {
    let position = frame * beatsPerMinute / 60 / Double(rate)
    return abs(position - position.rounded()) * 60e9 / beatsPerMinute
  }

  func reading(_ frame: UInt32, rate: Int) -> Cycle.Leader {
    let position = position(frame, rate: rate)
    let note = Int(position)
    return Cycle.Leader(
      bar: note / notes + 1, beat: note % notes + 1,
      tick: ((position - Double(note)) * OtherLeader.ticksPerBeat).rounded(.down), isTickExact: false,
      ticksPerBeat: OtherLeader.ticksPerBeat, offset: 0, beatsPerMinute: beatsPerMinute,
      beatsPerBar: Double(notes), beatType: Double(unit))
  }
}
