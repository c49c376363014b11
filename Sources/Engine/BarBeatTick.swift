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

/// Counts the ticks of the bars that there were, through changes of the meter.
struct TickCount: BitwiseCopyable {
  private var bar = 1
  private var ticks = 0.0

  @_noLocks
  init() {}

  /// Ticks before a bar, where all bars since the last change have `notesPerBar` notes.
  /// - Thread: audio
  @_noLocks
  func ticks(before bar: Int, notesPerBar: Int) -> Double {
    ticks + Double((bar - self.bar) * notesPerBar * BarBeatTick.ticksPerBeat)
  }

  /// From this bar on the meter is another.
  /// - Parameter notesPerBar: of the meter that ends.
  /// - Thread: audio
  @_noLocks
  mutating func change(at bar: Int, notesPerBar: Int) {
    ticks = ticks(before: bar, notesPerBar: notesPerBar)
    self.bar = bar
  }
}
