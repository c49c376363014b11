import MusicTime

/// Where a score is on a timeline: its origin, and the next onset.
struct Playhead: BitwiseCopyable {
  var score: UnsafePointer<Score>
  /// The point on the timeline at which the score starts, in this lap.
  var origin: FrameTime {
    @_noLocks get { lap.origin }
    @_noLocks set { lap = Lap(origin: newValue) }
  }
  /// Where the laps through a loop or a held section have brought it.
  var lap = Lap(origin: FrameTime(frame: 0))
  /// The lap before, which holds until the first onset of this one.
  var lapBefore: Lap?
  /// Whether the section starts again when it has come to its end.
  var holdsSection = false
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

  /// At the score's start, on frame 0.
  @_noLocks
  init(_ score: UnsafePointer<Score>) {
    self.score = score
    section = score.pointee.sections[0]
    seek(0)
  }

  // MARK: Moving

  /// Goes to the first onset on a frame or after it.
  /// - Thread: audio
  @_noLocks
  mutating func seek(_ frame: Int64) { seek(from: FrameTime(roundingTo: frame)) }

  /// Goes to the first onset at an instant or after it.
  /// - Thread: audio
  @_noLocks
  private mutating func seek(from instant: FrameTime) {
    lapBefore = nil
    // Where a leader keeps the tempo, no section has its own length: the one that is entered counts.
    if pace == 0 { runLaps(to: instant) }
    let time = FrameTime(raw: instant.raw - origin.raw)
    isAtEnd = false
    begun = nil
    if pace == 0 { enterSection(score.pointee.sectionIndex(at: time)) }
    let (place, step) = section.step(at: time)
    bar = max(place, pace == 0 ? 1 : section.firstBar)
    // The step is rounded down, so that the onset found may lie just before the instant.
    onsetIndex = place < bar ? 0 : section.buffer.index(ofStep: step)
    settle()
    while nextTime < instant, !isAtEnd { skip() }
  }

  /// Goes on from an onset that has begun to the next.
  /// - Thread: audio
  @_noLocks
  mutating func advance() {
    lapBefore = nil
    let stepsPerWhole = section.buffer.grid.stepsPerWhole
    begun = Begun(bar: bar, step: onset.step, stepsPerWhole: stepsPerWhole, frame: nextFrame)
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
    let (bar, lapBars) = score.pointee.unrolled(position.bar)
    var place = Position(bar: bar, beats: position.beats)
    while true {
      enterSection(score.pointee.sectionIndex(ofBar: place.bar))
      let normalised = section.buffer.grid.normalised(place)
      // Bars of another section may be shorter still.
      if normalised.bar == place.bar { break }
      place = normalised
    }
    origin.raw = time.raw - section.time(of: place).raw
    seek(from: time)
    lap.bars += lapBars
    lap.pulses += score.pointee.pulses(inLapBars: lapBars)
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
    (pace, holdsSection) = (0, false)
    place(origin: FrameTime(frame: 0), seeking: frame)
  }

  // MARK: Inside

  @_noLocks
  mutating func enterSection(_ index: Int) {
    sectionIndex = index
    section = score.pointee.sections[index]
    if pace > 0 {
      section.buffer.grid = section.buffer.grid.paced(framesPerWhole: pace)
      section.warp = .none
      if let end = section.end {
        let time = section.buffer.grid.time(bar: end.bar, step: end.step)
        section.end = Score.Section.End(bar: end.bar, step: end.step, time: time)
      }
    }
  }

  /// Wraps the cursor into the bar, section and score, and works out its frame.
  @_noLocks
  mutating func settle() {
    if onsetIndex >= section.buffer.onsets.count {
      onsetIndex = 0
      bar += 1
    }
    while section.isOver(bar: bar, step: onset.step), let next = section.nextBar, let end = section.end {
      onsetIndex = 0
      if holdsSection {
        startLap(from: sectionIndex, bars: end.bars, ticks: section.ticks(before: next) - section.startTick)
      } else if sectionIndex + 1 < score.pointee.sections.count {
        goOn(in: sectionIndex + 1)
      } else if let loop = score.pointee.loop {
        startLap(from: loop, bars: score.pointee.loopBars, ticks: score.pointee.loopTicks)
      } else {
        isAtEnd = true
        nextTime.raw = origin.raw + section.start.raw + end.time.raw
        nextFrame = nextTime.nearestFrame
        return
      }
      bar = section.firstBar
    }
    setNext(bar: bar, step: section.buffer.onsets[onsetIndex].step)
  }

  @_noLocks
  private mutating func setNext(bar: Int, step: Int) {
    nextTime.raw = origin.raw + section.time(bar: bar, step: step).raw
    nextFrame = nextTime.nearestFrame
  }
}
