import MusicTime

/// The note that counts as a beat in the position that other clients of the transport read.
package enum TransportBeat: UInt8, BitwiseCopyable, CaseIterable, Hashable, Sendable {
  /// The note of the meter's unit: in 7/8 a bar has seven beats, eighths.
  case meter
  /// A quarter, for clients that assume quarters: in 7/8 a bar has three and a half.
  case quarters
}

/// A position in the units of the JACK transport.
package struct BarBeatTick: BitwiseCopyable, Sendable {
  /// Ticks in each beat that Tactus publishes.
  package static let ticksPerBeat = 1_920

  /// From 1.
  package let bar: Int
  /// From 1.
  package let beat: Int
  /// Rounded down, 0..<`ticksPerBeat`.
  package let tick: Int
  /// The tick with its fraction.
  package let exactTick: Double
  /// Ticks from frame 0 to the bar's start, through all scores that have played.
  package let barStartTick: Double
  /// Beats in a bar, with a fraction.
  package let beatsPerBar: Double
  /// The beat as a part of a whole note: 8 is an eighth.
  package let beatType: Int
  /// Beats per minute.
  package let beatsPerMinute: Double

  /// The position at a time of the timeline.
  /// - Parameters:
  ///   - ticks: the ticks of the bars before.
  ///   - snaps: whether a beat that rounds to this frame counts as begun, even if it begins a fraction of a frame later. After
  ///     a locate to a downbeat a display then shows its bar, not the last tick of the bar before.
  /// - Thread: audio
  @_noLocks
  init(at frame: TimelineFrame, _ playhead: borrowing Playhead, _ ticks: TickCount, snaps: Bool = false) {
    var place = playhead.place(at: FrameTime(frame: frame))
    var beats = BarBeatTick.beats(of: place, playhead)
    if snaps {
      let next = playhead.place(at: FrameTime(frame: frame) + .halfFrame)
      let nextBeats = BarBeatTick.beats(of: next, playhead)
      if nextBeats >> 64 != beats >> 64 || next.bar != place.bar
        || next.lap.elapsed.bars != place.lap.elapsed.bars
      {
        (place, beats) = (next, (nextBeats >> 64) << 64)
      }
    }
    let buffer = place.section.buffer
    let unit = BarBeatTick.unit(of: place, playhead)
    let fraction = UInt64(truncatingIfNeeded: beats)
    let ticksPerBeat = Double(BarBeatTick.ticksPerBeat)
    // JACK's bars count from 1, including the count-in.
    bar =
      place.bar - place.section.hiddenBars + playhead.score.pointee.countInBars
      + place.lap.elapsed.shownBars
    beat = Int(beats >> 64) + 1
    // A fraction just below one could round to one as a `Double`.
    exactTick = min(Double(fraction) * 0x1p-64 * ticksPerBeat, ticksPerBeat - 0x1p-42)
    // Derived from `exactTick`, so that the two can't contradict each other.
    tick = Int(exactTick)
    barStartTick = ticks.ticks(before: place.bar, in: place.section, of: playhead.score, place.lap)
    beatsPerBar = Double(buffer.meterCount * unit) / Double(buffer.meterUnit)
    beatType = unit
    beatsPerMinute = place.notesPerMinute * Double(unit) / Double(buffer.meterUnit)
  }

  /// The beat as a part of a whole note.
  @_noLocks
  private static func unit(of place: Playhead.Place, _ playhead: borrowing Playhead) -> Int {
    playhead.score.pointee.transportBeat == .quarters ? 4 : place.section.buffer.meterUnit
  }

  /// Beats since the bar's start, in 2⁻⁶⁴.
  @_noLocks
  private static func beats(of place: Playhead.Place, _ playhead: borrowing Playhead) -> UInt128 {
    place.notes * UInt128(unit(of: place, playhead)) / UInt128(place.section.buffer.meterUnit)
  }
}

/// Counts the ticks of all bars through changes of the score.
struct TickCount: BitwiseCopyable {
  private var offset = 0.0

  @_noLocks
  init() {}

  /// Ticks from frame 0 to a bar of a section.
  /// - Thread: audio
  @_noLocks
  func ticks(
    before bar: Int, in section: Score.Section, of score: UnsafePointer<Score>, _ lap: Lap
  ) -> Double {
    offset + section.ticks(before: bar, of: score) + lap.elapsed.ticks(score.pointee.transportBeat)
  }

  /// Keeps the tick of a bar's start when another score continues from this bar.
  /// - Thread: audio
  @_noLocks
  mutating func carry(
    bar: Int, from old: Score.Section, of oldScore: UnsafePointer<Score>, to new: Score.Section,
    of newScore: UnsafePointer<Score>
  ) {
    offset += old.ticks(before: bar, of: oldScore) - new.ticks(before: bar, of: newScore)
  }
}

extension Score.Section {
  /// Ticks of the transport from the score's start to a bar.
  @_noLocks
  fileprivate func ticks(before bar: Int, of score: UnsafePointer<Score>) -> Double {
    switch score.pointee.transportBeat {
    case .meter: return ticks(before: bar)
    case .quarters:
      let wholes = startWholes + self.wholes(bar: bar - firstBar + 1, step: 0)
      return (wholes - score.pointee.sections[0].startWholes) * 4 * Double(BarBeatTick.ticksPerBeat)
    }
  }
}

extension Lap.Elapsed {
  /// - Thread: audio
  @_noLocks
  fileprivate func ticks(_ beat: TransportBeat) -> Double {
    switch beat {
    case .meter: return ticks
    // 24 pulses are a quarter; 2⁻²⁴ pulses are far finer than a tick.
    case .quarters:
      let pulses = Double(Int64(truncatingIfNeeded: pulses >> 40)) * 0x1p-24
      return pulses / 24 * Double(BarBeatTick.ticksPerBeat)
    }
  }
}
