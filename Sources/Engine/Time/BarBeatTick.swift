import MusicTime

/// A position in the units of the JACK transport.
public struct BarBeatTick: BitwiseCopyable, Sendable {
  public static let ticksPerBeat = 1_920

  /// From 1.
  public let bar: Int
  /// Beats are notes of the meter's unit, from 1.
  public let beat: Int
  /// Rounded down, 0..<`ticksPerBeat`.
  public let tick: Int
  /// The tick with its fraction.
  public let exactTick: Double
  /// Ticks from frame 0 to the bar's start, through all scores that have played.
  public let barStartTick: Double
  /// Notes of the meter's unit in a bar.
  public let beatsPerBar: Int
  /// The note as a part of a whole note: 8 is an eighth.
  public let beatType: Int
  /// Notes of the meter's unit per minute.
  public let beatsPerMinute: Double

  /// The position at a time of the timeline.
  /// - Parameter ticks: the ticks of the bars before.
  /// - Thread: audio
  @_noLocks
  init(at frame: TimelineFrame, _ playhead: borrowing Playhead, _ ticks: TickCount) {
    let place = playhead.place(at: FrameTime(frame: frame))
    let buffer = place.section.buffer
    let fraction = UInt64(truncatingIfNeeded: place.notes)
    let ticksPerBeat = Double(BarBeatTick.ticksPerBeat)
    // JACK's bars count from 1, including the count-in.
    bar = place.bar - place.section.hiddenBars + playhead.score.pointee.countInBars + place.lap.past.bars
    beat = Int(place.notes >> 64) + 1
    // A fraction just below one could round to one as a `Double`.
    exactTick = min(Double(fraction) * 0x1p-64 * ticksPerBeat, ticksPerBeat - 0x1p-42)
    // Derived from `exactTick`, so that the two can't contradict each other.
    tick = Int(exactTick)
    barStartTick = ticks.ticks(before: place.bar, in: place.section) + place.lap.past.ticks
    (beatsPerBar, beatType) = (buffer.meterCount, buffer.meterUnit)
    beatsPerMinute = place.notesPerMinute
  }
}

/// Counts the ticks of all bars through changes of the score.
struct TickCount: BitwiseCopyable {
  private var offset = 0.0

  @_noLocks
  init() {}

  /// Ticks before a bar of a section.
  /// - Thread: audio
  @_noLocks
  func ticks(before bar: Int, in section: Score.Section) -> Double { offset + section.ticks(before: bar) }

  /// Another score continues from this bar, which begins at the same tick.
  /// - Thread: audio
  @_noLocks
  mutating func carry(bar: Int, from old: Score.Section, to new: Score.Section) {
    offset += old.ticks(before: bar) - new.ticks(before: bar)
  }
}
