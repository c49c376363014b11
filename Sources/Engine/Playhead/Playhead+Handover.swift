import MusicTime

/// Continues in another score or section, and stops and continues at exactly the same position.
extension Playhead {
  /// Continues immediately in another score at the same position.
  ///
  /// Both scores agree at `instant(at: frame)`: everything due before has begun on an earlier frame, and everything due from
  /// then on begins on this frame or later, so that no onset is lost or doubled.
  /// - Thread: audio
  @_noLocks
  mutating func adopt(_ next: UnsafePointer<Score>, at frame: TimelineFrame) {
    let time = instant(at: frame)
    skipRepeats(to: time)
    hand(over: next, position(at: time), at: time, frame: frame)
  }

  /// The exact instant of a change at a frame: the frame's start, or the next onset if that rounds to this frame and lies
  /// slightly before it.
  /// - Thread: audio
  @_noLocks
  func instant(at frame: TimelineFrame) -> FrameTime {
    let start = FrameTime(frame: frame)
    return nextFrame == frame && nextTime < start && nextTime.nearestFrame == frame ? nextTime : start
  }

  /// Continues in another score from a boundary of this one.
  /// - Thread: audio
  @_noLocks
  mutating func adopt(_ next: UnsafePointer<Score>, at boundary: Boundary) {
    hand(over: next, boundary.position, at: boundary.time, frame: boundary.frame)
  }

  @_noLocks
  private mutating func hand(
    over next: UnsafePointer<Score>, _ position: Position, at time: FrameTime, frame: TimelineFrame
  ) {
    let isSamePiece = score.pointee.piece == next.pointee.piece
    let target = keepsTime(in: next) ? nil : (position: place(position, in: next), time: time)
    take(next, at: frame, target, keepsCount: isSamePiece)
  }

  /// Whether everything falls on the same frames in another score.
  /// - Thread: audio
  @_noLocks
  func keepsTime(in next: UnsafePointer<Score>) -> Bool {
    let (old, new) = (score.pointee, next.pointee)
    guard cursor.pace == 0, new.sampleRate == old.sampleRate else { return false }
    if new.timing != 0 || old.timing != 0 { return new.timing == old.timing }
    return old.sections.count == 1 && new.sections.count == 1
      && cursor.section.buffer.grid.keepsTime(of: new.sections[0].buffer.grid)
  }

  /// The position in another score at which the music continues: the same place of the same section if both scores are of one
  /// piece, otherwise the start of the other.
  /// - Thread: audio
  @_noLocks
  func place(_ position: Position, in next: UnsafePointer<Score>) -> Position {
    guard score.pointee.piece == next.pointee.piece else { return .start }
    let number = score.pointee.sectionIndex(ofBar: position.bar)
    let index = min(number, next.pointee.sections.count - 1)
    let (old, new) = (score.pointee.sections[number], next.pointee.sections[index])
    let place = new.buffer.continued(position, from: old.buffer)
    guard next.pointee.piece != 0 else { return place }
    let shift = new.firstBar - score.pointee.sections[index].firstBar
    return Position(bar: place.bar + shift, beats: place.beats)
  }

  /// Goes to a bar.
  /// - Parameter time: the point of the timeline at which it begins.
  /// - Thread: audio
  @_noLocks
  mutating func jump(to bar: BarRange.Bar, at time: FrameTime) {
    guard bar.section >= 0, bar.section < score.pointee.sections.count else { return }
    anchor(Position(bar: score.pointee.sections[bar.section].line(before: bar.bar).bar, beats: 0), at: time)
  }

  /// A position at which the music continues after a stop.
  struct Entry: BitwiseCopyable {
    fileprivate(set) var position: Position
    /// How far before a whole frame the position lies: an onset plays on the nearest frame, which may be later.
    fileprivate(set) var ahead = FrameDuration.zero
    /// Whether it is the position of a pause, not one that a command gave.
    fileprivate var isPause = false
    /// The content of the previous laps.
    fileprivate(set) var elapsed = Lap.Elapsed()

    @_noLocks
    init(_ position: Position) { self.position = position }
  }

  /// The position at a frame of the timeline.
  /// - Thread: audio
  @_noLocks
  func entry(at frame: TimelineFrame) -> Entry {
    let time = instant(at: frame)
    return entry(at: frame, position(at: time), time)
  }

  /// The entry at a frame of the timeline with a position and its exact time.
  /// - Thread: audio
  @_noLocks
  func entry(at frame: TimelineFrame, _ position: Position, _ time: FrameTime) -> Entry {
    let (_, lap) = reading(time)
    var entry = Entry(position)
    entry.ahead = FrameTime(frame: frame) - time
    entry.elapsed = lap.elapsed
    entry.isPause = true
    return entry
  }

  /// The same entry in another score, which takes over while the music is stopped. In a session the position of a command
  /// already refers to the next score.
  /// - Thread: audio
  @_noLocks
  func entry(_ entry: Entry, in next: UnsafePointer<Score>) -> Entry {
    guard entry.isPause || next.pointee.piece == 0, score.pointee.piece == next.pointee.piece else {
      return entry
    }
    var moved = entry
    let place = place(entry.position, in: next)
    let section = next.pointee.sections[next.pointee.sectionIndex(ofBar: place.bar)]
    moved.position = section.buffer.grid.normalised(place)
    return moved
  }

  /// Continues from a position at a frame of the timeline.
  /// - Thread: audio
  @_noLocks
  mutating func enter(at entry: Entry, on frame: TimelineFrame) {
    anchor(entry.position, at: FrameTime(frame: frame) - entry.ahead, elapsed: entry.elapsed)
    // A layer's pulse on the frame of the pause has not begun, even if its time lies up to half a frame earlier.
    if entry.isPause { beginPulses(from: frame) }
  }
}
