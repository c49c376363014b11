import MusicTime

/// Going on in another score, or on another timeline.
extension Playhead {
  /// Goes on in another score at the same position, at once.
  ///
  /// The two agree at `instant(at: frame)`: what was due before it has begun on an earlier frame and what is due from
  /// then on will begin on this one or later, so that no onset is lost or doubled.
  /// - Thread: audio
  @_noLocks
  mutating func adopt(_ next: UnsafePointer<Score>, at frame: Int64) {
    let time = instant(at: frame)
    hand(over: next, position(at: time), at: time, frame: frame)
  }

  /// The instant at which what comes takes over from what was, at a frame: its exact start, or the onset that is nearest
  /// to the frame where that lies a little before.
  /// - Thread: audio
  @_noLocks
  func instant(at frame: Int64) -> FrameTime {
    let start = FrameTime(frame: frame)
    return nextFrame == frame && nextTime < start && nextTime.nearestFrame == frame ? nextTime : start
  }

  /// Goes over to the engine's own clock, where `frame` of the old timeline is `clock`, at the score's own tempo.
  /// - Thread: audio
  @_noLocks
  mutating func leave(_ frame: Int64, for clock: Int64) {
    let time = instant(at: frame)
    let place = position(at: time)
    pace = 0
    anchor(place, at: FrameTime(raw: time.raw + Int128(clock - frame) << 64))
  }

  /// Goes on in another score from a boundary of this one.
  /// - Thread: audio
  @_noLocks
  mutating func adopt(_ next: UnsafePointer<Score>, at boundary: Boundary) {
    hand(over: next, boundary.position, at: boundary.time, frame: boundary.frame)
  }

  @_noLocks
  private mutating func hand(
    over next: UnsafePointer<Score>, _ position: Position, at time: FrameTime, frame: Int64
  ) {
    let keepsTime =
      pace == 0 && score.pointee.sections.count == 1 && next.pointee.sections.count == 1
      && section.buffer.grid.keepsTime(of: next.pointee.sections[0].buffer.grid)
    let begun = begun
    score = next
    if keepsTime { seek(frame) } else { anchor(position, at: time) }
    self.begun = begun
    hasAdopted = true
  }

  /// A beat or bar line, to the frame and exactly.
  struct Boundary: BitwiseCopyable {
    let position: Position
    let time: FrameTime
    let frame: Int64
  }

  /// The next beat or bar line that has not begun.
  /// - Thread: audio
  @_noLocks
  func boundary(_ quantise: Quantise) -> Boundary {
    var (line, index) = (bar, onsetIndex)
    if quantise == .beat {
      while index < section.buffer.onsets.count, !section.buffer.onsets[index].isBeat { index += 1 }
    } else if index > 0 {
      index = section.buffer.onsets.count
    }
    if index >= section.buffer.onsets.count { (line, index) = (bar + 1, 0) }
    let onset = section.buffer.onsets[index]
    let time = FrameTime(raw: origin.raw + section.time(bar: line, step: onset.step).raw)
    return Boundary(
      position: Position(bar: line, beats: UInt128(onset.beat) << 64), time: time, frame: time.nearestFrame)
  }
}
