/// A position as the JACK transport tells it to others.
public struct BarBeatTick: BitwiseCopyable, Sendable {
  public static let ticksPerBeat = 1_920

  /// From 1.
  public let bar: Int
  /// From 1, in notes of the meter's unit.
  public let beat: Int
  /// Rounded down, 0..<`ticksPerBeat`.
  public let tick: Int
  /// The tick with its fraction.
  public let exactTick: Double
  /// Ticks from frame 0 to the bar's start, over the bars that there were.
  public let barStartTick: Double
  public let beatsPerBar: Int
  public let beatType: Int
  /// Notes of the meter's unit a minute.
  public let beatsPerMinute: Double
}

/// Counts the ticks of the bars that there were, through changes of the score.
struct TickCount: BitwiseCopyable {
  private var offset = 0.0

  @_noLocks
  init() {}

  /// Ticks before a bar of a section.
  /// - Thread: audio
  @_noLocks
  func ticks(before bar: Int, in section: Score.Section) -> Double { offset + section.ticks(before: bar) }

  /// Another score goes on from this bar, which begins where it did.
  /// - Thread: audio
  @_noLocks
  mutating func carry(bar: Int, from old: Score.Section, to new: Score.Section) {
    offset += old.ticks(before: bar) - new.ticks(before: bar)
  }
}
