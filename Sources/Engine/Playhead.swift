import MusicTime

/// Where a score is on a timeline: its origin, and the next onset.
struct Playhead: BitwiseCopyable {
  var score: UnsafePointer<Score>
  /// The point on the timeline at which the score starts.
  var origin = FrameTime(frame: 0)
  /// The frame of the next onset, or of the score's end; `Int64.max` where neither comes.
  var nextFrame: Int64 = .max
  /// The instant that `nextFrame` is nearest to.
  private(set) var nextTime = FrameTime(frame: 0)
  /// The bar of the next onset, from 1.
  private(set) var bar = 1
  /// Whether `nextFrame` is the score's end.
  private(set) var isAtEnd = false

  /// The section of the next onset. In `follow` its grid is the leader's.
  private(set) var section: Score.Section
  private(set) var sectionIndex = 0
  private(set) var onsetIndex = 0
  /// Frames in a whole note as a leader keeps them; 0 where the score's own tempo counts.
  var pace = 0.0

  /// The last onset that has begun since the playhead was moved, for a leader's corrections.
  var begun: Begun?
  /// Whether another score has taken over since the leader's last reading.
  var hasAdopted = false

  /// A bar, and a part of a whole note in it.
  struct Begun: BitwiseCopyable {
    let bar: Int
    let step: Int
    let stepsPerWhole: Int

    /// The last step of another grid that isn't later in the bar.
    @_noLocks
    func step(in grid: BarGrid) -> Int {
      Int(Int128(step) * Int128(grid.stepsPerWhole) / Int128(stepsPerWhole))
    }
  }

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
  mutating func seek(_ frame: Int64) { seek(from: FrameTime(roundingTo: frame)) }

  /// Goes to the first onset at an instant or after it.
  /// - Thread: audio
  @_noLocks
  private mutating func seek(from instant: FrameTime) {
    let time = FrameTime(raw: instant.raw - origin.raw)
    isAtEnd = false
    begun = nil
    enterSection(score.pointee.sectionIndex(at: time))
    let (place, step) = section.buffer.grid.step(at: FrameTime(raw: time.raw - section.start.raw))
    bar = max(place + section.firstBar - 1, 1)
    // The step is rounded down, so that the onset found may lie just before the instant.
    onsetIndex = place + section.firstBar - 1 < 1 ? 0 : section.buffer.index(ofStep: step)
    settle()
    while nextTime < instant, !isAtEnd { skip() }
  }

  /// Goes on from an onset that has begun to the next.
  /// - Thread: audio
  @_noLocks
  mutating func advance() {
    begun = Begun(bar: bar, step: onset.step, stepsPerWhole: section.buffer.grid.stepsPerWhole)
    skip()
  }

  @_noLocks
  private mutating func skip() {
    onsetIndex += 1
    settle()
  }

  /// Goes to the first onset after one that has begun, wherever both are in time.
  /// - Thread: audio
  @_noLocks
  mutating func resume(after begun: Begun) {
    isAtEnd = false
    enterSection(score.pointee.sectionIndex(ofBar: begun.bar))
    bar = begun.bar
    onsetIndex = section.buffer.index(ofStep: begun.step(in: section.buffer.grid) + 1)
    settle()
  }

  /// Begins nothing more until it is moved.
  /// - Thread: audio
  @_noLocks
  mutating func rest() { nextFrame = .max }

  /// Puts a position at a point of the timeline, and goes there.
  /// - Thread: audio
  @_noLocks
  mutating func anchor(_ position: Position, at time: FrameTime) {
    var place = position
    while true {
      enterSection(score.pointee.sectionIndex(ofBar: place.bar))
      let normalised = section.buffer.grid.normalised(place)
      // Bars of another section may be shorter still.
      if normalised.bar == place.bar { break }
      place = normalised
    }
    origin.raw = time.raw - section.time(of: place).raw
    seek(from: time)
  }

  /// Puts the score's start at a point of the timeline.
  /// - Thread: audio
  @_noLocks
  mutating func place(origin: FrameTime, seeking frame: Int64) {
    self.origin = origin
    seek(frame)
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

  /// Bar and notes of its meter at a point of the timeline, and the section in which it lies.
  /// - Thread: audio
  @_noLocks
  func place(at time: FrameTime) -> (section: Score.Section, bar: Int, notes: UInt128) {
    let inScore = FrameTime(raw: time.raw - origin.raw)
    let section = score.pointee.sections[score.pointee.sectionIndex(at: inScore)]
    let inSection = FrameTime(raw: inScore.raw - section.start.raw)
    let (bar, notes) = section.buffer.grid.notes(at: inSection, unit: section.buffer.meterUnit)
    return (section, bar + section.firstBar - 1, notes)
  }

  /// - Thread: audio
  @_noLocks
  func section(ofBar bar: Int) -> Score.Section {
    score.pointee.sections[score.pointee.sectionIndex(ofBar: bar)]
  }

  // MARK: Inside

  @_noLocks
  mutating func enterSection(_ index: Int) {
    sectionIndex = index
    section = score.pointee.sections[index]
    if pace > 0 { section.buffer.grid = section.buffer.grid.paced(framesPerWhole: pace) }
  }

  /// Wraps the cursor into the bar, section and score, and works out its frame.
  @_noLocks
  mutating func settle() {
    if onsetIndex >= section.buffer.onsets.count {
      onsetIndex = 0
      bar += 1
    }
    while let bars = section.bars, bar >= section.firstBar + bars {
      guard sectionIndex + 1 < score.pointee.sections.count else {
        isAtEnd = true
        onsetIndex = 0
        setNext(bar: section.firstBar + bars, step: 0)
        return
      }
      enterSection(sectionIndex + 1)
    }
    setNext(bar: bar, step: section.buffer.onsets[onsetIndex].step)
  }

  @_noLocks
  private mutating func setNext(bar: Int, step: Int) {
    nextTime.raw = origin.raw + section.time(bar: bar, step: step).raw
    nextFrame = nextTime.nearestFrame
  }
}
