import CJack

/// Another client that leads the transport: bar 1 is at frame 0, and it publishes whole ticks.
struct OtherLeader {
  /// Its behaviour towards followers.
  enum Habit: String, CaseIterable {
    case isHonest = "is honest"
    /// Declares 4/4 at 120 regardless of what it counts.
    case declaresAnother = "declares another meter and tempo"
    /// Counts a whole bar as one beat.
    case countsBars = "counts bars as beats"
    /// Publishes the same position again and again.
    case stalls
    /// Publishes no position.
    case isSilent = "is silent"
  }

  /// Its behaviour, and the transport frame since which it applies; and whether it has always been honest.
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

  /// Nanoseconds of its bar.
  var barTime: UInt64 { UInt64(Double(notes) * 60e9 / beatsPerMinute) }

  private static let ticksPerBeat = 1_920.0
  let beatsPerMinute: Double
  let notes: Int
  let unit: Int

  private func position(_ frame: UInt32, rate: Int) -> Double {
    Double(frame) * beatsPerMinute / 60 / Double(rate)
  }

  /// Nanoseconds from its nearest note.
  func distance(_ frame: Double, rate: Int) -> Double {
    let position = frame * beatsPerMinute / 60 / Double(rate)
    return abs(position - position.rounded()) * 60e9 / beatsPerMinute
  }

  /// Publishes the transport's position.
  func fill(_ position: inout jack_position_t, rate: Int) {
    guard let reading = reading(position.frame, rate: rate) else {
      position.valid = jack_position_bits_t(0)
      return
    }
    position.valid = JackPositionBBT
    (position.bar, position.beat, position.tick) = (
      Int32(reading.bar), Int32(reading.beat), Int32(reading.tick)
    )
    position.bar_start_tick = reading.barStartTick
    (position.beats_per_bar, position.beat_type) = (Float(reading.beatsPerBar), Float(reading.beatType))
    (position.ticks_per_beat, position.beats_per_minute) = (reading.ticksPerBeat, reading.beatsPerMinute)
  }

  /// A published position.
  private struct Reading {
    var bar: Int
    var beat: Int
    var tick: Double
    var ticksPerBeat: Double
    var beatsPerMinute: Double
    var beatsPerBar: Double
    var beatType: Double
    var barStartTick: Double
  }

  /// - Returns: the position; nil if it publishes none.
  private func reading(_ frame: UInt32, rate: Int) -> Reading? {
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

  private func honestReading(_ frame: UInt32, rate: Int) -> Reading {
    let position = position(frame, rate: rate)
    let note = Int(position)
    return Reading(
      bar: note / notes + 1, beat: note % notes + 1,
      tick: ((position - Double(note)) * OtherLeader.ticksPerBeat).rounded(.down),
      ticksPerBeat: OtherLeader.ticksPerBeat, beatsPerMinute: beatsPerMinute,
      beatsPerBar: Double(notes), beatType: Double(unit),
      barStartTick: Double(note / notes * notes) * OtherLeader.ticksPerBeat)
  }
}
