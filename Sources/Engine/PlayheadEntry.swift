import MusicTime

/// Leaving off and going on at the same place, to the last bit.
extension Playhead {
  /// A place at which the music is taken up.
  struct Entry: BitwiseCopyable {
    let position: Position
    /// How far before a whole frame it lies, in 2⁻⁶⁴ frames: an onset is played on the nearest frame, which may be later.
    fileprivate var ahead: Int128 = 0
    /// Bars, ticks and pulses of the laps before.
    fileprivate var bars = 0
    fileprivate var ticks = 0.0
    fileprivate var pulses: Int128 = 0

    @_noLocks
    init(_ position: Position) { self.position = position }
  }

  /// The place at a frame of the timeline.
  /// - Thread: audio
  @_noLocks
  func entry(at frame: Int64) -> Entry {
    let time = instant(at: frame)
    let (_, lap) = reading(time)
    var entry = Entry(position(at: time))
    entry.ahead = FrameTime(frame: frame).raw - time.raw
    entry.bars = lap.bars
    entry.ticks = lap.ticks
    entry.pulses = lap.pulses
    return entry
  }

  /// Goes on from a place at a frame of the timeline.
  /// - Thread: audio
  @_noLocks
  mutating func enter(at entry: Entry, on frame: Int64) {
    anchor(entry.position, at: FrameTime(raw: FrameTime(frame: frame).raw - entry.ahead))
    lap.bars += entry.bars
    lap.ticks += entry.ticks
    lap.pulses += entry.pulses
  }
}
