import MusicTime

/// Counts whole bars before the music begins, in its tempo and pattern, wherever it begins.
///
/// In `free` the engine counts and then starts the music. On a transport it counts while it keeps the transport from
/// rolling: it reports that it is ready in the period before the one in which the transport is to roll. In both cases the
/// music begins on the exact frame.
///
/// It keeps no pointer into a score, because another score may take over while it counts.
struct PreRoll: BitwiseCopyable {
  private var hold = TransportHold()
  /// nil if nothing is counted.
  private var count: Count?
  /// The clock frame of the next beat; `never` if there is none.
  private(set) var nextBeat = ClockFrame.never
  /// Whether the start of a held transport has been reported.
  private var isReported = false
  /// How often the count has begun again because the leader told another place, though the transport has not moved.
  private var restarts = 0

  private struct Count: BitwiseCopyable {
    var cursor: CountCursor
    var end: CountEnd
    /// The position at which the music begins, in the score.
    var entry: Position
    /// The number of bars in the laps before it.
    let lapBars: Int
    /// Frames per whole note of a leader's tempo; 0 for the score's own.
    var pace: Double
  }

  /// A beat that is counted.
  struct Beat: BitwiseCopyable {
    let onset: TimingBuffer.Onset
    let section: Score.Section
    /// The section's index in the score, from 0.
    let sectionIndex: Int
    let sectionBar: Int
    /// The bar's number in reports: 0, −1, … before the bar in which the music begins.
    let shownBar: Int
  }

  @_noLocks
  init() {}

  /// Whether nothing is counted, and no transport waits or starts.
  /// - Thread: audio
  var isIdle: Bool { @_noLocks get { hold.isIdle && count == nil } }

  /// Whether a transport waits for the pre-roll.
  /// - Thread: audio
  var holdsTransport: Bool { @_noLocks get { hold.holds } }

  /// Whether beats are counted.
  /// - Thread: audio
  var isCounting: Bool { @_noLocks get { count != nil } }

  /// Whether beats are counted before the engine starts the music.
  /// - Thread: audio
  var isCountingInFree: Bool { @_noLocks get { count.map { !$0.end.isOnTransport } ?? false } }

  /// The clock frame at which the music starts or the transport is to roll; `never` if nothing is counted.
  /// - Thread: audio
  var end: ClockFrame { @_noLocks get { count?.end.frame ?? .never } }

  /// The next clock frame at which it wants to act; `never` if there is none.
  /// - Thread: audio
  var nextFrame: ClockFrame { @_noLocks get { hold.holds ? nextBeat : min(nextBeat, end) } }

  // MARK: Beginning and ending

  /// Counts before the engine starts the music.
  /// - Parameters:
  ///   - entry: where the music begins.
  ///   - clock: the clock frame at which counting begins.
  /// - Returns: whether there is something to count.
  /// - Thread: audio
  @_noLocks
  mutating func begin(at entry: Playhead.Entry, clock: ClockFrame, _ playhead: borrowing Playhead) -> Bool {
    reset()
    return begin(at: entry, clock, on: nil, playhead)
  }

  /// Decides whether a transport may roll.
  /// - Parameters:
  ///   - isRolling: whether the music rolled until now: then the transport has been moved.
  ///   - isOn: whether there may be something to count.
  ///   - next: the clock frame at which the transport would roll.
  /// - Returns: whether it may roll.
  /// - Thread: audio
  @_noLocks
  mutating func letsRoll(isRolling: Bool, isOn: Bool, at next: ClockFrame) -> Bool {
    guard !isCountingInFree else { return true }
    let wasReleased = hold.isReleased
    let mayRoll = hold.letsRoll(isRolling: isRolling, isOn: isOn, isDue: next >= end)
    if wasReleased, !mayRoll { endCount() }
    return mayRoll
  }

  /// What changed in a cycle on a transport.
  enum Change: BitwiseCopyable {
    case none, begun, stopped
    /// The transport rolls.
    /// - Parameter isCounted: whether all beats until now have been counted.
    case rolled(isCounted: Bool)
    /// The transport must be asked to wait longer.
    case expiring
  }

  /// Begins a cycle: skips missed beats, counts if a transport waits, again if its place has changed, and ends if the transport
  /// rolls or has been stopped.
  /// - Parameter advance: frames by which the music precedes the transport, or will precede it.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, advance: Int64, _ playback: borrowing Playback) -> Change {
    switch hold.open(cycle, sampleRate: playback.score.pointee.sampleRate) {
    case .none:
      if let count, count.end.isOnTransport, !cycle.transport.isRolling { reset() }
      skip(before: cycle.clock, playback.playhead)
      return .none
    case .ended: return end(cycle, advance: advance, playback)
    case .pass, .moved:
      endCount()
      restarts = 0
      return .none
    case .count: return count(cycle, advance: advance, playback)
    case .wait: return wait(cycle, advance: advance, playback)
    }
  }

  /// Counts for a transport that waits, or lets it pass.
  @_noLocks
  private mutating func count(_ cycle: Cycle, advance: Int64, _ playback: borrowing Playback) -> Change {
    let entry = playback.playhead.lineEntry(at: playback.timeline.nextFrame)
    let wasReported = isReported
    isReported = begin(
      at: entry, cycle.clock, on: CountEnd.Cycles(cycle, advance: advance), playback.playhead)
    guard isReported else {
      hold.pass()
      return wasReported ? .stopped : .none
    }
    hold.wait()
    return wasReported ? .none : .begun
  }

  /// Goes on counting for a transport that waits.
  @_noLocks
  private mutating func wait(_ cycle: Cycle, advance: Int64, _ playback: borrowing Playback) -> Change {
    guard !hold.isReleased else {
      rollNext(cycle, playback.playhead)
      skip(before: cycle.clock, playback.playhead)
      return .none
    }
    let here = playback.playhead.lineEntry(at: playback.timeline.nextFrame)
    // A leader whose place moves while the transport stands must not hold it for ever.
    if restarts < 4, !isCountedFor(here, playback.playhead) {
      restarts += 1
      let change = count(cycle, advance: advance, playback)
      guard case .none = change else { return change }
    } else if !followPace(at: cycle.clock, playback.playhead) {
      return count(cycle, advance: advance, playback)
    }
    follow(CountEnd.Cycles(cycle, advance: advance), playback.playhead)
    skip(before: cycle.clock, playback.playhead)
    let rate = playback.score.pointee.sampleRate
    return hold.isExpiring(at: cycle.clock, end: end, sampleRate: rate) ? .expiring : .none
  }

  /// Ends because the transport rolls or has been stopped.
  @_noLocks
  private mutating func end(_ cycle: Cycle, advance: Int64, _ playback: borrowing Playback) -> Change {
    let (wasReported, count) = (isReported, count)
    reset()
    guard wasReported else { return .none }
    guard cycle.transport.isRolling else { return .stopped }
    guard var count, count.end.frame == cycle.clock, advance <= count.end.advance else {
      return .rolled(isCounted: false)
    }
    // Music that follows the transport begins later, and the beats until then are still counted.
    if count.end.advance < 0, playback.nextOnset != .never {
      count.end.prolong(to: playback.nextOnset - 1)
      self.count = count
      settle(section(of: count, playback.playhead))
    }
    return .rolled(isCounted: true)
  }

  /// Ends the pre-roll.
  /// - Thread: audio
  @_noLocks
  mutating func reset() { self = PreRoll() }

  /// Ends the count. The transport waits on.
  @_noLocks
  private mutating func endCount() { (count, nextBeat) = (nil, .never) }

  /// Ends the pre-roll because the role changes. Another role on the transport counts again.
  /// - Thread: audio
  @_noLocks
  mutating func changeRole(isOnTransport: Bool) {
    let hold = isOnTransport && !hold.isReleased ? TransportHold(continuing: hold) : TransportHold()
    reset()
    self.hold = hold
  }

  /// Ends what is counted for a transport, because cycles pass in which nothing plays. It is counted for again afterwards, and
  /// the transport is asked at once to wait longer, since its cycles have another length.
  /// - Returns: whether its start has been reported.
  /// - Thread: audio
  @_noLocks
  mutating func interrupt(at clock: ClockFrame) -> Bool {
    guard hold.holds else { return false }
    let (wasReported, hold) = (isReported, hold)
    reset()
    self.hold = TransportHold(continuing: hold)
    self.hold.hasten(at: clock)
    return wasReported
  }

  /// Plans the count before an entry, unless nothing is to be counted.
  /// - Parameters:
  ///   - clock: the clock frame at which counting begins.
  ///   - cycles: of the transport; nil in `free`.
  /// - Returns: whether there is something to count.
  @_noLocks
  private mutating func begin(
    at entry: Playhead.Entry, _ clock: ClockFrame, on cycles: CountEnd.Cycles?,
    _ playhead: borrowing Playhead
  ) -> Bool {
    endCount()
    let (score, pace) = (playhead.score, playhead.cursor.pace)
    let (position, lapBars) = place(of: entry, playhead)
    // The music's own count-in is enough, and past the score's end there is no music.
    guard position.bar > score.pointee.countInBars, !score.pointee.isOver(bar: position.bar) else {
      return false
    }
    let section = playhead.steadySection(at: position, pace: pace)
    let seconds = Double(section.barLength.framesRoundedUp) / Double(score.pointee.sampleRate)
    let bars = score.pointee.preRoll.count(ofBars: seconds)
    guard bars > 0 else { return false }
    let cursor = CountCursor(bar: position.bar - bars)
    let target = ClockTime(frame: clock) + (section.time(of: position) - cursor.time(in: section))
    count = Count(
      cursor: cursor, end: CountEnd(target, ahead: entry.ahead, on: cycles), entry: position,
      lapBars: lapBars, pace: pace)
    settle(section)
    return true
  }

  /// The position of an entry in the score, and the number of bars in the laps before it.
  @_noLocks
  private func place(
    of entry: Playhead.Entry, _ playhead: borrowing Playhead
  ) -> (position: Position, lapBars: Int) {
    let (bar, laps) = playhead.score.pointee.unrolled(entry.position.bar)
    let raw = Position(bar: bar, beats: entry.position.beats)
    // A pause may lie past the end of a new, shorter bar.
    let section = playhead.steadySection(at: raw, pace: playhead.cursor.pace)
    return (section.buffer.grid.normalised(raw), laps + entry.elapsed.bars)
  }

  // MARK: Changes during the count

  /// Continues counting in another score. The count keeps its place, and the rest has the new tempo and beats. In another piece
  /// or meter it begins again.
  /// - Parameters:
  ///   - clock: the clock frame of the change.
  ///   - playhead: still with the previous score.
  /// - Returns: whether the engine must begin a new count, when it has adopted the score.
  /// - Thread: audio
  @_noLocks
  mutating func adopt(
    _ next: UnsafePointer<Score>, at clock: ClockFrame, _ playhead: borrowing Playhead
  ) -> Bool {
    guard let count else { return false }
    // The transport rolls already, and the next beats would come from different scores.
    guard hold.holds || isCountingInFree else {
      reset()
      return false
    }
    skip(before: clock, playhead)
    let old = section(of: count, playhead)
    let entry = playhead.place(count.entry, in: next)
    let new = playhead.steadySection(at: entry, pace: count.pace, in: next)
    if next.pointee.piece == playhead.score.pointee.piece, new.buffer.hasMeter(of: old.buffer),
      proceed(from: old, to: new, entry: entry, at: clock, longest: next.pointee.longestPreRoll)
    {
      return false
    }
    guard hold.holds else {
      reset()
      return true
    }
    // A transport that has been allowed to roll gets no further beats.
    if hold.isReleased { hold.pass() } else { hold.ask() }
    endCount()
    return false
  }

  /// Goes on in a leader's new tempo.
  /// - Returns: whether the count can go on.
  @_noLocks
  private mutating func followPace(at clock: ClockFrame, _ playhead: borrowing Playhead) -> Bool {
    let pace = playhead.cursor.pace
    guard let count, count.pace != pace else { return true }
    skip(before: clock, playhead)
    self.count?.pace = pace
    return proceed(
      from: section(of: count, playhead), to: playhead.steadySection(at: count.entry, pace: pace),
      entry: count.entry, at: clock, longest: playhead.score.pointee.longestPreRoll)
  }

  /// Goes on in another tempo, or in other beats of the same meter.
  /// - Parameters:
  ///   - entry: where the music begins in the new section.
  ///   - longest: the longest pre-roll, unless a bar is longer.
  /// - Returns: whether the count can go on; false if it would become longer.
  @_noLocks
  private mutating func proceed(
    from old: Score.Section, to new: Score.Section, entry: Position, at clock: ClockFrame,
    longest: FrameDuration
  ) -> Bool {
    guard var count else { return true }
    let now = ClockTime(frame: clock)
    let before = old.time(of: count.entry) - count.cursor.time(in: old)
    // From now to the next beat, as it comes and as it would come without delay. A wait that a delay has made longer than a beat
    // would grow with each change of the beat unit.
    var wait = min(count.end.entryTime - before - now, old.duration(ofBeats: 1 << 64))
    var target = min(count.end.target - before - now, wait)
    let lead = count.cursor.carry(from: old, to: new, barShift: entry.bar - count.entry.bar)
    wait = wait.converted(from: old, to: new) + lead
    target = target.converted(from: old, to: new) + lead
    // Of shorter beats, others may come before.
    while let (earlier, duration) = count.cursor.previous(in: new),
      (now + (wait - duration)).nearestFrame >= clock
    {
      (count.cursor, wait, target) = (earlier, wait - duration, target - duration)
    }
    count.entry = entry
    let after = new.time(of: entry) - count.cursor.time(in: new)
    let (begin, goal) = (now + wait + after, now + target + after)
    // If the times are the same, all frames stay. A transport moves the end by whole cycles.
    let least = count.end.isOnTransport ? FrameDuration(wholeFrames: 1) : FrameDuration(raw: 1 << 48)
    let entryTime = count.end.entryTime
    if !hold.isReleased, (begin - entryTime).magnitude > least || goal - entryTime > least {
      count.end.move(to: goal, earliest: CountEnd.earliest(goal, begin, wait: wait), at: clock)
    } else {
      count.end.aim(at: goal)
    }
    self.count = count
    settle(new)
    catchUp(to: clock, new)
    return count.end.entryTime - now <= max(new.barLength, longest) + new.barLength
  }

  /// Moves the end if the transport can't roll there: the period or the latency has changed, or frames were missed that are not
  /// whole periods.
  @_noLocks
  private mutating func follow(_ cycles: CountEnd.Cycles, _ playhead: borrowing Playhead) {
    guard var count, count.end.frame > cycles.start, !count.end.isOn(cycles) else { return }
    let section = section(of: count, playhead)
    let wait = nextBeat == .never ? .zero : beatTime(count, section) - ClockTime(frame: cycles.start)
    if count.end.hasLongerPeriod(than: cycles) { hold.hasten(at: cycles.start) }
    count.end.move(to: cycles, wait: wait)
    self.count = count
    settle(section)
    catchUp(to: cycles.start, section)
  }

  /// Moves the end if the transport rolls at another frame than planned, when it has been allowed to roll.
  @_noLocks
  private mutating func rollNext(_ cycle: Cycle, _ playhead: borrowing Playhead) {
    let next = cycle.clock + Int64(cycle.frames)
    guard var count, count.end.frame > cycle.clock, count.end.frame != next else { return }
    count.end.move(to: next)
    self.count = count
    let section = section(of: count, playhead)
    settle(section)
    catchUp(to: cycle.clock, section)
  }

  /// Whether the count is for the position at which the music would begin now: a leader may have moved it.
  @_noLocks
  private func isCountedFor(_ entry: Playhead.Entry, _ playhead: borrowing Playhead) -> Bool {
    guard let count else { return false }
    let section = section(of: count, playhead)
    let off = section.time(of: place(of: entry, playhead).position) - section.time(of: count.entry)
    return off.magnitude < section.duration(ofBeats: 1 << 59)
  }

  // MARK: Counting

  /// The beat that is due at or before a clock frame; nil if none is. Goes on to the next.
  /// - Thread: audio
  @_noLocks
  mutating func take(dueAt clock: ClockFrame, _ playhead: borrowing Playhead) -> Beat? {
    guard nextBeat <= clock, let count else { return nil }
    let section = section(of: count, playhead)
    let (bar, entry) = (count.cursor.bar, count.entry)
    let beat = Beat(
      onset: count.cursor.onset(in: section), section: section,
      sectionIndex: playhead.score.pointee.sectionIndex(ofBar: entry.bar),
      sectionBar: bar - section.firstBar + 1,
      shownBar: bar < entry.bar ? bar - entry.bar + 1 : bar - section.hiddenBars + count.lapBars)
    advance(section)
    return beat
  }

  /// Skips the beats of cycles that were missed.
  @_noLocks
  private mutating func skip(before clock: ClockFrame, _ playhead: borrowing Playhead) {
    guard nextBeat < clock, let count else { return }
    let section = section(of: count, playhead)
    while nextBeat < clock { advance(section) }
  }

  /// Of the beats that a change has put into the past, counts only the last one, at once.
  @_noLocks
  private mutating func catchUp(to clock: ClockFrame, _ section: Score.Section) {
    guard nextBeat < clock, let count else { return }
    guard clock < end else {
      nextBeat = .never
      return
    }
    var last = count.cursor
    while nextBeat <= clock, let cursor = self.count?.cursor {
      last = cursor
      advance(section)
    }
    self.count?.cursor = last
    nextBeat = clock
  }

  @_noLocks
  private mutating func advance(_ section: Score.Section) {
    count?.cursor.advance(in: section)
    settle(section)
  }

  /// Computes the frame of the next beat.
  @_noLocks
  private mutating func settle(_ section: Score.Section) {
    nextBeat = .never
    guard let count else { return }
    let frame = beatTime(count, section).nearestFrame
    if frame < count.end.frame { nextBeat = frame }
  }

  /// The exact time of the next beat.
  @_noLocks
  private func beatTime(_ count: Count, _ section: Score.Section) -> ClockTime {
    count.end.entryTime + (count.cursor.time(in: section) - section.time(of: count.entry))
  }

  /// The section in which the music begins, in the tempo of the count.
  @_noLocks
  private func section(of count: Count, _ playhead: borrowing Playhead) -> Score.Section {
    playhead.steadySection(at: count.entry, pace: count.pace)
  }
}

extension Score {
  fileprivate var longestPreRoll: FrameDuration {
    @_noLocks get { FrameDuration(wholeFrames: Int64(PreRollPolicy.limit) * Int64(sampleRate)) }
  }

  /// Whether a bar lies past the end of a score without a loop.
  @_noLocks
  fileprivate func isOver(bar: Int) -> Bool {
    guard loop == nil, let next = sections[sections.count - 1].nextBar else { return false }
    return bar >= next
  }
}

extension Score.Section {
  /// The length of a bar.
  fileprivate var barLength: FrameDuration {
    @_noLocks get { time(bar: firstBar + 1, step: 0) - time(bar: firstBar, step: 0) }
  }

  /// The duration of a number of beats, in 2⁻⁶⁴ beats, from the start of a bar.
  @_noLocks
  fileprivate func duration(ofBeats beats: UInt128) -> FrameDuration {
    time(of: Position(bar: firstBar, beats: beats)) - start
  }
}

extension FrameDuration {
  /// The duration of the same part of a bar in another section with the same meter.
  @_noLocks
  fileprivate func converted(from old: Score.Section, to new: Score.Section) -> FrameDuration {
    guard self >= .zero else { return -(-self).converted(from: old, to: new) }
    let beats = Position(bar: new.firstBar, beats: old.buffer.grid.beats(in: self))
    return new.duration(ofBeats: new.buffer.grid.samePlace(as: beats, in: old.buffer.grid).beats)
  }
}
