import MusicTime

/// Where a score is on a timeline: its origin, and the next onset.
struct Playhead: BitwiseCopyable {
  private(set) var score: UnsafePointer<Score>
  /// The point on the timeline at which the score starts.
  private(set) var origin = FrameTime(frame: 0)
  /// The frame of the next onset, or of the score's end; `Int64.max` where neither comes.
  private(set) var nextFrame: Int64 = .max
  /// The bar of the next onset, from 1.
  private(set) var bar = 1
  /// Whether `nextFrame` is the score's end.
  private(set) var isAtEnd = false

  /// The section of the next onset. In `follow` its grid is the leader's.
  private var section: Score.Section
  private var sectionIndex = 0
  private var onsetIndex = 0
  /// Frames in a whole note as a leader keeps them; 0 where the score's own tempo counts.
  private var pace = 0.0

  /// At the score's start, on frame 0.
  @_noLocks
  init(_ score: UnsafePointer<Score>) {
    self.score = score
    section = score.pointee.sections[0]
    seek(0)
  }

  /// The next onset. Only where `isAtEnd` is false.
  /// - Thread: audio
  var onset: TimingBuffer.Onset { @_noLocks get { section.buffer.onsets[onsetIndex] } }

  /// The buffer that is playing.
  /// - Thread: audio
  var buffer: TimingBuffer { @_noLocks get { section.buffer } }

  // MARK: Moving

  /// Goes to the first onset on a frame or after it.
  /// - Thread: audio
  @_noLocks
  mutating func seek(_ frame: Int64) {
    let time = FrameTime(raw: FrameTime(roundingTo: frame).raw - origin.raw)
    isAtEnd = false
    enterSection(score.pointee.sectionIndex(at: time))
    let (place, step) = section.buffer.grid.step(at: FrameTime(raw: time.raw - section.start.raw))
    bar = max(place + section.firstBar - 1, 1)
    // The step is rounded down, so that the onset found may lie just before the frame.
    onsetIndex = place + section.firstBar - 1 < 1 ? 0 : section.buffer.index(ofStep: step)
    settle()
    while nextFrame < frame, !isAtEnd { advance() }
  }

  /// Goes on to the onset after the next.
  /// - Thread: audio
  @_noLocks
  mutating func advance() {
    onsetIndex += 1
    settle()
  }

  /// Begins nothing more until it is moved.
  /// - Thread: audio
  @_noLocks
  mutating func rest() { nextFrame = .max }

  /// Puts a position at a point of the timeline.
  /// - Thread: audio
  @_noLocks
  mutating func anchor(_ position: Position, at time: FrameTime, seeking frame: Int64) {
    enterSection(score.pointee.sectionIndex(ofBar: position.bar))
    origin.raw = time.raw - section.time(of: position).raw
    seek(frame)
  }

  /// Puts the score's start at a point of the timeline.
  /// - Thread: audio
  @_noLocks
  mutating func place(origin: FrameTime, seeking frame: Int64) {
    self.origin = origin
    seek(frame)
  }

  // MARK: Another score

  /// Goes on in another score at the same position, at once.
  ///
  /// The two agree at the instant half a frame before `frame`: what was due before it has begun on an earlier frame and
  /// what is due after it will begin on this one or later, so that no onset is lost or doubled.
  /// - Thread: audio
  @_noLocks
  mutating func adopt(_ next: UnsafePointer<Score>, at frame: Int64) {
    let time = FrameTime(roundingTo: frame)
    hand(over: next, position(at: time), at: time, frame: frame)
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
    score = next
    if keepsTime {
      seek(frame)
    } else {
      enterSection(next.pointee.sectionIndex(ofBar: position.bar))
      anchor(section.buffer.grid.normalised(position), at: time, seeking: frame)
    }
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
    while index > 0, index < section.buffer.onsets.count {
      if quantise == .beat, section.buffer.onsets[index].isBeat { break }
      index += 1
    }
    if index >= section.buffer.onsets.count { (line, index) = (bar + 1, 0) }
    let onset = section.buffer.onsets[index]
    let time = FrameTime(raw: origin.raw + section.time(bar: line, step: onset.step).raw)
    return Boundary(
      position: Position(bar: line, beats: UInt128(onset.beat) << 64), time: time, frame: time.nearestFrame)
  }

  // MARK: Following

  /// Takes the pace and place of another timekeeper.
  ///
  /// A correction moves the onsets that have not begun. One that it pushes into the past by no more than `tolerance`
  /// begins on `frame` rather than be lost.
  /// - Parameters:
  ///   - framesPerWhole: frames in a whole note.
  ///   - position: where the other is at `frame`: bar, and whole notes since its start.
  ///   - hasJumped: it didn't get there by playing on.
  /// - Thread: audio
  @_noLocks
  mutating func follow(
    framesPerWhole: Double, bar: Int, wholes: Double, at frame: Int64, tolerance: Int64, hasJumped: Bool
  ) {
    pace = framesPerWhole
    section.buffer.grid = score.pointee.sections[sectionIndex].buffer.grid.paced(framesPerWhole: pace)
    let barTime = section.time(bar: bar, step: 0)
    // 2⁻²⁰ frames are far below what a leader's numbers tell.
    let intoBar = Int128(Int64(wholes * framesPerWhole * 0x1p20)) << 44
    origin.raw = Int128(frame) << 64 - intoBar - barTime.raw
    guard !hasJumped else { return seek(frame) }
    settle()
    if nextFrame < frame {
      if frame - nextFrame <= tolerance { nextFrame = frame } else { seek(frame) }
    }
  }

  /// Goes back to the score's own tempo, from its start at frame 0.
  /// - Thread: audio
  @_noLocks
  mutating func lead(from frame: Int64) {
    pace = 0
    place(origin: FrameTime(frame: 0), seeking: frame)
  }

  // MARK: Reading

  /// The position at a point of the timeline.
  /// - Thread: audio
  @_noLocks
  func position(at time: FrameTime) -> Position {
    let inScore = FrameTime(raw: time.raw - origin.raw)
    let index = score.pointee.sectionIndex(at: inScore)
    return index == sectionIndex
      ? section.position(at: inScore) : score.pointee.sections[index].position(at: inScore)
  }

  // MARK: Inside

  @_noLocks
  private mutating func enterSection(_ index: Int) {
    sectionIndex = index
    section = score.pointee.sections[index]
    if pace > 0 { section.buffer.grid = section.buffer.grid.paced(framesPerWhole: pace) }
  }

  /// Wraps the cursor into the bar, section and score, and works out its frame.
  @_noLocks
  private mutating func settle() {
    if onsetIndex >= section.buffer.onsets.count {
      onsetIndex = 0
      bar += 1
    }
    while let bars = section.bars, bar >= section.firstBar + bars {
      guard sectionIndex + 1 < score.pointee.sections.count else {
        isAtEnd = true
        onsetIndex = 0
        nextFrame = frame(bar: section.firstBar + bars, step: 0)
        return
      }
      enterSection(sectionIndex + 1)
    }
    nextFrame = frame(bar: bar, step: section.buffer.onsets[onsetIndex].step)
  }

  @_noLocks
  private func frame(bar: Int, step: Int) -> Int64 {
    FrameTime(raw: origin.raw + section.time(bar: bar, step: step).raw).nearestFrame
  }
}
