import MusicTime

/// The position of a score on a timeline: its origin, and the next onset.
///
/// Only this file changes its properties. Handover and following are written in terms of the methods here.
struct Playhead: BitwiseCopyable {
  /// The next onset's place in the score.
  private(set) var cursor: Cursor
  /// The current lap through a loop or a held section.
  private(set) var lap = Lap(origin: FrameTime(frame: 0))
  /// The previous lap, which is valid until the first onset of the current one.
  private(set) var lapBefore: Lap?
  /// The previous lap and its end, until the playhead is moved. Used for positions that are heard now, since these were
  /// rendered earlier.
  private(set) var ended: (lap: Lap, end: FrameTime)?
  /// The section or bars that repeat when they end.
  private(set) var repetition = Repetition.none
  /// The frame of the next onset, or of the score's end; `.never` if there is neither.
  private(set) var nextFrame = TimelineFrame.never
  /// The exact time that `nextFrame` is rounded from.
  private(set) var nextTime = FrameTime(frame: 0)
  /// Whether `nextFrame` is the score's end.
  private(set) var isAtEnd = false

  /// The last onset that has begun since the playhead was moved, used for a leader's corrections.
  private(set) var begun: Begun?
  /// The number of moves other than advancing, and the time from which onsets begin after the last move. For `LayerHeads`.
  private(set) var moves = 0
  private(set) var movedTo = FrameTime(frame: 0)
  /// Whether the MIDI clock's pulses are counted from a leader's first bar, not through the score's bars.
  private var countsAsLeader = false
  /// Whether another score has taken over since the leader's last reading.
  private(set) var hasAdopted = false

  /// An onset that has begun.
  struct Begun: BitwiseCopyable {
    let bar: Int
    let step: Int
    let stepsPerWhole: Int
    /// The frame of the timeline on which it began.
    let frame: TimelineFrame

    /// The step of another grid at the same place in the bar, rounded down.
    /// - Thread: audio
    @_noLocks
    func step(in grid: BarGrid) -> Int {
      Int(Int128(step) * Int128(grid.stepsPerWhole) / Int128(stepsPerWhole))
    }
  }

  /// Starts at the score's start, on frame 0.
  @_noLocks
  init(_ score: UnsafePointer<Score>) {
    cursor = Cursor(score)
    seek(TimelineFrame(0))
  }

  // MARK: Moving

  /// Moves to the first onset at or after a frame.
  /// - Thread: audio
  @_noLocks
  mutating func seek(_ frame: TimelineFrame) { seek(from: FrameTime(roundingTo: frame)) }

  /// Moves to the first onset at or after an instant.
  /// - Thread: audio
  @_noLocks
  private mutating func seek(from instant: FrameTime) {
    (lapBefore, ended) = (nil, nil)
    // While a leader keeps the tempo, the sections' own lengths don't apply: the position decides.
    if cursor.pace == 0 { skipLaps(to: instant) }
    isAtEnd = false
    begun = nil
    noteMove(to: instant)
    // Steps are rounded down, so the onset found may lie just before the instant.
    cursor.find(instant - lap.origin)
    if let round, cursor.pace == 0, cursor.sectionIndex == round.lastSection, skipRounds(round, to: instant) {
      cursor.find(instant - lap.origin)
    }
    settle()
    while nextTime < instant, !isAtEnd {
      lapBefore = nil
      skip()
    }
  }

  /// Moves to the first onset at or after a frame that may lie in the previous lap.
  /// - Thread: audio
  @_noLocks
  mutating func seek(backTo frame: TimelineFrame) {
    if let ended, FrameTime(frame: frame) < ended.end { lap = ended.lap }
    seek(frame)
  }

  /// Continues at a frame after missed cycles, in a later round if the repeated bars have ended meanwhile. After a second without
  /// a leader's position nothing begins until it is known again.
  /// - Thread: audio
  @_noLocks
  mutating func skipMissed(at frame: TimelineFrame) {
    if let lapBefore, cursor.pace == 0, FrameTime(roundingTo: frame) < nextTime {
      // Before the first onset of a lap the music is still in the one before.
      lap = lapBefore
    } else if let round {
      skipRounds(round, to: FrameTime(roundingTo: frame))
    } else if cursor.pace > 0, nextFrame == .never || nextFrame < frame - Int64(score.pointee.sampleRate) {
      return deactivate()
    }
    seek(frame)
  }

  /// Goes to the round of the repeated bars that contains an instant.
  /// - Returns: whether that is a later round.
  @_noLocks
  @discardableResult
  private mutating func skipRounds(_ round: Round, to instant: FrameTime) -> Bool {
    let beyond = instant - lap.origin - round.end.time
    guard beyond >= .zero, round.length > .zero else { return false }
    let rounds = beyond / round.length + 1
    lap.move(by: rounds * round.length)
    lap.add(round.elapsed(Int(rounds)))
    return true
  }

  /// Goes to the round or lap that contains an instant, before another score takes over after missed cycles.
  /// - Thread: audio
  @_noLocks
  mutating func skipRepeats(to instant: FrameTime) {
    guard cursor.pace == 0 else { return }
    if let round { skipRounds(round, to: instant) } else { skipLaps(to: instant) }
  }

  /// Skips the onsets before a frame, one by one: the frame must be near.
  /// - Thread: audio
  @_noLocks
  mutating func pass(to frame: TimelineFrame) {
    while nextFrame < frame, !isAtEnd { advance() }
    begun = nil
    noteMove(to: FrameTime(roundingTo: frame))
  }

  /// Makes layers begin their pulses from a frame on, after a move.
  /// - Thread: audio
  @_noLocks
  mutating func beginPulses(from frame: TimelineFrame) { movedTo = FrameTime(roundingTo: frame) }

  @_noLocks
  private mutating func noteMove(to instant: FrameTime) { (moves, movedTo) = (moves &+ 1, instant) }

  /// Advances from an onset that has begun to the next.
  /// - Thread: audio
  @_noLocks
  mutating func advance() {
    lapBefore = nil
    let stepsPerWhole = cursor.section.buffer.grid.stepsPerWhole
    begun = Begun(
      bar: cursor.bar, step: cursor.onset.step, stepsPerWhole: stepsPerWhole, frame: nextFrame)
    skip()
  }

  @_noLocks
  private mutating func skip() {
    cursor.advance()
    settle()
  }

  /// Moves to the first onset after one that has begun, regardless of their times.
  /// - Thread: audio
  @_noLocks
  mutating func resume(after begun: Begun) {
    isAtEnd = false
    cursor.move(past: begun)
    settle()
  }

  /// Makes the score end at a time.
  /// - Thread: audio
  @_noLocks
  mutating func end(at time: FrameTime) { (isAtEnd, nextTime, nextFrame) = (true, time, time.nearestFrame) }

  /// Starts no more onsets until it is moved.
  /// - Thread: audio
  @_noLocks
  mutating func deactivate() { nextFrame = .never }

  /// Places a position at a point of the timeline, and moves there.
  /// - Parameter elapsed: the content of the laps before it.
  /// - Thread: audio
  @_noLocks
  mutating func anchor(_ position: Position, at time: FrameTime, elapsed: Lap.Elapsed = Lap.Elapsed()) {
    let (bar, lapBars) = score.pointee.unrolled(position.bar)
    var place = Position(bar: bar, beats: position.beats)
    while true {
      cursor.enter(score.pointee.sectionIndex(ofBar: place.bar))
      let normalised = cursor.section.buffer.grid.normalised(place)
      // The bars of the next section may be shorter still.
      if normalised.bar == place.bar { break }
      place = normalised
    }
    // Before the search, which may begin another lap.
    lap = Lap(
      origin: time - cursor.section.time(of: place),
      elapsed: elapsed
        + Lap.Elapsed(
          bars: lapBars, hiddenBars: score.pointee.hiddenBars(inLapBars: lapBars),
          pulses: score.pointee.pulses(inLapBars: lapBars)))
    seek(from: time)
  }

  /// Returns to the score's own tempo, places the score's start at frame 0, and moves to the first onset at or after a frame.
  /// - Thread: audio
  @_noLocks
  mutating func lead(from frame: TimelineFrame) {
    cursor.endPace()
    countsAsLeader = false
    repetition = .none
    lap = Lap(origin: FrameTime(frame: 0))
    seek(frame)
  }

  // MARK: Other scores and other clocks

  /// Takes over another score at a frame, and moves to a position in it.
  /// - Parameters:
  ///   - place: the position in the other score, and its time; nil if everything falls on the same frames there.
  ///   - keepsCount: whether it is the same piece of music, so that laps and onsets continue to count.
  /// - Thread: audio
  @_noLocks
  mutating func take(
    _ next: UnsafePointer<Score>, at frame: TimelineFrame, _ place: (position: Position, time: FrameTime)?,
    keepsCount: Bool
  ) {
    let (begun, moves, now) = (begun, moves, instant(at: frame))
    let elapsed = place.map { reading($0.time).1.elapsed } ?? Lap.Elapsed()
    let counted = countsAsLeader ? place.map { pulses(at: $0.time) } : nil
    cursor.take(next)
    if let place {
      anchor(place.position, at: place.time, elapsed: keepsCount ? elapsed : Lap.Elapsed())
      // A leader's bars before this one are as long as they were.
      if keepsCount, let counted { lap.add(Lap.Elapsed(pulses: counted - pulses(at: place.time))) }
    } else if nextFrame != .never {
      // Not from half a frame earlier, which may lie before the first onset of a round.
      seekAgain(at: now, from: now)
      beginPulses(from: frame)
    } else {
      // The music is over, but the old score is about to be freed.
      cursor.enter(cursor.sectionIndex)
    }
    self.begun = keepsCount ? begun : nil
    if keepsCount { self.moves = moves }
    hasAdopted = true
  }

  /// Switches to the engine's own clock at the score's own tempo.
  /// - Parameters:
  ///   - frame: of the old timeline.
  ///   - next: the frame of the new timeline at the same instant.
  /// - Thread: audio
  @_noLocks
  mutating func leave(_ frame: TimelineFrame, for next: TimelineFrame) {
    let time = instant(at: frame)
    let place = position(at: time)
    cursor.endPace()
    countsAsLeader = false
    anchor(place, at: time + FrameDuration(wholeFrames: next - frame))
  }

  // MARK: A leader's tempo

  /// Applies a leader's tempo, and enters the section that contains a bar.
  /// - Parameters:
  ///   - framesPerWhole: frames per whole note.
  ///   - bar: of the score.
  /// - Thread: audio
  @_noLocks
  mutating func setPace(_ framesPerWhole: Double, inBar bar: Int) {
    repetition = .none
    cursor.setPace(framesPerWhole, inBar: bar)
  }

  /// Takes a leader's position without moving the next onset.
  /// - Parameters:
  ///   - lap: the leader's lap; the previous one is no longer valid.
  ///   - countsAsLeader: whether its pulses are counted from the leader's first bar.
  /// - Thread: audio
  @_noLocks
  mutating func setLap(_ lap: Lap, countsAsLeader: Bool) {
    (self.lap, lapBefore, ended) = (lap, nil, nil)
    self.countsAsLeader = countsAsLeader
  }

  /// Returns to a previous section and lap.
  /// - Thread: audio
  @_noLocks
  mutating func restore(_ index: Int, _ lap: Lap) {
    self.lap = lap
    cursor.enter(index)
  }

  /// Starts the next onset on this frame, though its time has passed.
  /// - Thread: audio
  @_noLocks
  mutating func beginNext(on frame: TimelineFrame) { nextFrame = frame }

  /// Records that the leader has been followed with the current score.
  /// - Thread: audio
  @_noLocks
  mutating func finishAdoption() { hasAdopted = false }

  /// Sets the section or bars that repeat when they end. Music that is over stays over.
  /// - Parameter frame: the music's current frame; nil if it does not play. The next onset may already lie beyond the end of
  ///   the repeated bars.
  /// - Thread: audio
  @_noLocks
  mutating func set(_ repetition: Repetition, at frame: TimelineFrame?) {
    guard !self.repetition.equals(repetition) else { return }
    self.repetition = repetition
    if let frame, !isOver(at: frame) { seekAgain(from: frame) }
  }

  /// Finds the next onset again. This does not count as a move.
  @_noLocks
  private mutating func seekAgain(from frame: TimelineFrame) {
    guard nextFrame != .never else { return }
    let (begun, moves, movedTo) = (begun, moves, movedTo)
    let time = instant(at: frame)
    seekAgain(at: time, from: time)
    (self.begun, self.moves, self.movedTo) = (begun, moves, movedTo)
  }

  /// Finds the next onset at or after an instant again.
  /// - Parameter time: the current time.
  @_noLocks
  private mutating func seekAgain(at time: FrameTime, from instant: FrameTime) {
    let ended = ended
    // Before the first onset of a lap the music is still in the one before.
    if let lapBefore, time < nextTime { lap = lapBefore } else if let round { skipRounds(round, to: instant) }
    let origin = lap.origin
    seek(from: instant)
    // What is heard now may still be the previous lap.
    if self.ended == nil, lap.origin == origin { self.ended = ended }
  }

  /// Forgets the last onset, so that a leader's next correction does not use it.
  /// - Thread: audio
  @_noLocks
  mutating func forgetBegun() { begun = nil }

  // MARK: Inside

  /// Counts the laps of a loop before an instant.
  @_noLocks
  private mutating func skipLaps(to instant: FrameTime) {
    let score = score.pointee
    guard score.loop != nil, score.loopLength > .zero else { return }
    let beyond = instant - lap.origin - score.length
    guard beyond >= .zero else { return }
    let laps = beyond / score.loopLength + 1
    lap.move(by: laps * score.loopLength)
    lap.add(
      Lap.Elapsed(
        bars: Int(laps) * score.loopBars, hiddenBars: Int(laps) * score.loopHiddenBars,
        ticks: Double(Int(laps)) * score.loopTicks, pulses: laps * score.loopPulses))
  }

  /// Returns to the start of a loop from the score's end.
  /// - Thread: audio
  @_noLocks
  mutating func startLap(from index: Int, bars: Int, ticks: Double) {
    if lapBefore == nil { lapBefore = lap }
    let before = lap
    let pulses = cursor.section.endPulses - score.pointee.sections[index].startPulses
    lap.add(
      Lap.Elapsed(bars: bars, hiddenBars: score.pointee.loopHiddenBars, ticks: ticks, pulses: pulses))
    enterNext(index)
    ended = (before, lap.origin + cursor.section.start)
  }

  /// Returns from the end of the repeated bars to their start.
  @_noLocks
  private mutating func startLap(_ round: Round) {
    if lapBefore == nil { lapBefore = lap }
    let before = lap
    lap.add(round.elapsed(1))
    lap.move(by: round.length)
    cursor.enter(round.firstSection)
    cursor.begin(bar: round.start.bar)
    ended = (before, lap.origin + round.start.time)
  }

  /// Enters the section after one that has ended. In the score the sections are contiguous, but a leader's tempo may have made
  /// the last one longer or shorter than its nominal length.
  /// - Thread: audio
  @_noLocks
  mutating func enterNext(_ index: Int) {
    let end = cursor.section.start + (cursor.section.end?.time ?? .zero)
    cursor.enter(index)
    lap.move(by: end - cursor.section.start)
  }

  /// Moves a cursor that may lie past its bar or section to the next onset, and computes the onset's frame.
  /// - Thread: audio
  @_noLocks
  mutating func settle() {
    if case .none = repetition { cursor.wrap() } else { wrapInRound() }
    while cursor.isPastSection, let end = cursor.section.end {
      if cursor.sectionIndex + 1 < score.pointee.sections.count {
        enterNext(cursor.sectionIndex + 1)
      } else if let loop = score.pointee.loop {
        startLap(from: loop, bars: score.pointee.loopBars, ticks: score.pointee.loopTicks)
      } else {
        cursor.beginBar()
        isAtEnd = true
        setNext(cursor.section.start + end.time)
        return
      }
      cursor.beginSection()
    }
    setNext(cursor.time)
  }

  // Not inline, so that music without a repetition (almost all) does not set up its stack frame.
  @_noLocks
  @inline(never)
  private mutating func wrapInRound() {
    let round = round
    cursor.wrap()
    if let round, cursor.sectionIndex == round.lastSection,
      cursor.isPastSection || cursor.bar >= round.end.bar
    {
      startLap(round)
    }
  }

  /// - Parameter time: of the score.
  @_noLocks
  private mutating func setNext(_ time: FrameDuration) {
    nextTime = lap.origin + time
    nextFrame = nextTime.nearestFrame
  }
}
