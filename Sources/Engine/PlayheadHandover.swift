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
    let keepsTime = pace == 0 && keepsTime(in: next)
    let (begun, lap) = (begun, lap)
    let isSamePiece = score.pointee.piece == next.pointee.piece
    let target = place(position, in: next)
    score = next
    if keepsTime {
      seek(frame)
    } else {
      anchor(target, at: time)
      if isSamePiece {
        (self.lap.bars, self.lap.ticks, self.lap.pulses) = (lap.bars, lap.ticks, lap.pulses)
      }
    }
    self.begun = isSamePiece ? begun : nil
    hasAdopted = true
  }

  /// Whether everything falls on the same frames in another score.
  @_noLocks
  private func keepsTime(in next: UnsafePointer<Score>) -> Bool {
    let (old, new) = (score.pointee, next.pointee)
    guard new.sampleRate == old.sampleRate else { return false }
    if new.timing != 0 || old.timing != 0 { return new.timing == old.timing }
    return old.sections.count == 1 && new.sections.count == 1
      && section.buffer.grid.keepsTime(of: new.sections[0].buffer.grid)
  }

  /// Where a position of this score is in another: at the same place of the same section, if they are of one piece; at the
  /// start of another piece.
  @_noLocks
  private func place(_ position: Position, in next: UnsafePointer<Score>) -> Position {
    guard score.pointee.piece == next.pointee.piece else { return .start }
    guard next.pointee.piece != 0 else { return position }
    let index = min(score.pointee.sectionIndex(ofBar: position.bar), next.pointee.sections.count - 1)
    let shift = next.pointee.sections[index].firstBar - score.pointee.sections[index].firstBar
    return Position(bar: position.bar + shift, beats: position.beats)
  }

  /// Goes to the start of a section.
  /// - Parameter time: the point of the timeline at which it begins.
  /// - Thread: audio
  @_noLocks
  mutating func jump(to index: Int, at time: FrameTime) {
    guard index >= 0, index < score.pointee.sections.count else { return }
    anchor(Position(bar: score.pointee.sections[index].firstBar, beats: 0), at: time)
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
    if let next = section.nextBar, let end = section.end, section.isOver(bar: line, step: onset.step) {
      let time = FrameTime(raw: origin.raw + section.start.raw + end.time.raw)
      return Boundary(position: Position(bar: next, beats: 0), time: time, frame: time.nearestFrame)
    }
    let time = FrameTime(raw: origin.raw + section.time(bar: line, step: onset.step).raw)
    return Boundary(
      position: Position(bar: line, beats: UInt128(onset.beat) << 64), time: time, frame: time.nearestFrame)
  }
}
