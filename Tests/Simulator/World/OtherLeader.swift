import Engine

/// Another client that leads the transport: bar 1 is at frame 0, and it tells whole ticks.
struct OtherLeader {
  /// What it does to those that follow.
  enum Habit: String, CaseIterable {
    case isHonest = "is honest"
    /// It goes on declaring 4/4 at 120, whatever it counts.
    case declaresAnother = "declares another meter and tempo"
    /// It counts a whole bar as one beat.
    case countsBars = "counts bars as beats"
    /// It goes on telling the same position.
    case stalls
    /// It tells no position.
    case isSilent = "is silent"
  }

  /// What it does, since when on the transport; and whether it has always been honest.
  private(set) var habit = Habit.isHonest
  private var habitFrame: UInt32 = 0
  private(set) var isHonestThroughout = true

  init(beatsPerMinute: Double, notes: Int, unit: Int) {
    (self.beatsPerMinute, self.notes, self.unit) = (beatsPerMinute, notes, unit)
  }

  mutating func take(_ habit: Habit, at frame: UInt32) {
    (self.habit, habitFrame) = (habit, frame)
    if habit != .isHonest { isHonestThroughout = false }
  }

  /// Nanoseconds of its bars.
  var barTime: UInt64 { UInt64(Double(notes) * 60e9 / beatsPerMinute) }

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

  /// - Returns: nil if it tells nothing.
  func reading(_ frame: UInt32, rate: Int) -> Cycle.Leader? {
    switch habit {
    case .isHonest: return honestReading(frame, rate: rate)
    case .declaresAnother:
      var reading = honestReading(frame, rate: rate)
      (reading.beatsPerMinute, reading.beatsPerBar, reading.beatType) = (120, 4, 4)
      return reading
    case .countsBars:
      var reading = honestReading(frame, rate: rate)
      let note = position(frame, rate: rate)
      let bars = note / Double(notes)
      reading.beat = 1
      reading.ticksPerBeat = 192
      reading.tick = ((bars - bars.rounded(.down)) * 192).rounded(.down)
      return reading
    case .stalls: return honestReading(habitFrame, rate: rate)
    case .isSilent: return nil
    }
  }

  private func honestReading(_ frame: UInt32, rate: Int) -> Cycle.Leader {
    let position = position(frame, rate: rate)
    let note = Int(position)
    return Cycle.Leader(
      bar: note / notes + 1, beat: note % notes + 1,
      tick: ((position - Double(note)) * OtherLeader.ticksPerBeat).rounded(.down), isTickExact: false,
      ticksPerBeat: OtherLeader.ticksPerBeat, offset: 0, beatsPerMinute: beatsPerMinute,
      beatsPerBar: Double(notes), beatType: Double(unit),
      barStartTick: Double(note / notes * notes) * OtherLeader.ticksPerBeat)
  }
}
