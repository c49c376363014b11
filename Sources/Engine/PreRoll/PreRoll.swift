import MusicTime

/// Counts whole bars before the music begins, in its tempo and pattern, wherever it begins.
///
/// In `free` the engine counts and then starts the music. On a transport it counts while it keeps the transport from
/// rolling: it reports that it is ready in the period before the one in which the transport is to roll. In both cases the
/// music begins on the exact frame.
///
/// It keeps no pointer into a score, because another score may take over while it counts.
struct PreRoll: BitwiseCopyable {
  private enum State: BitwiseCopyable {
    case idle
    /// A transport waits. Its position is used after one cycle: a client that locates and starts the transport makes it
    /// start first, and a leader reports a new position a cycle later.
    case asked
    case counting
    /// A transport starts that may roll at once: it has been moved while it rolled, or there is nothing (more) to count.
    case passing
  }

  private var state = State.idle
  /// Whether a transport waits for the pre-roll.
  private(set) var holdsTransport = false
  /// The frame at which the transport waited in the last cycle; nil if it did not.
  private var transportFrame: UInt32?
  /// Whether the start has been reported.
  private var isReported = false
  /// The clock frame at which the transport's wait is to be renewed; `never` if none waits.
  private var renewal = ClockFrame.never
  /// Frames by which the music precedes the transport, and frames of a cycle.
  private var advance: Int64 = 0
  private var period: Int64 = 1
  /// The position at which the music begins, and its clock time.
  private var entry = Position.start
  private var entryTime = ClockTime(raw: 0)
  /// How far before a whole frame this position lies.
  private var ahead = FrameDuration.zero
  /// How much later the music begins because the transport rolls only at the start of a cycle, since changes were made. The
  /// next change makes up for it, so that a tempo that moves all the time doesn't slow the count down.
  private var delay = FrameDuration.zero
  /// The clock frame at which the music starts, or the transport rolls.
  private(set) var end = ClockFrame.never
  /// The next beat: its bar of the score, and its index in the bar's onsets.
  private var bar = 0
  private var index = 0
  /// The clock frame of the next beat; `never` if there is none.
  private(set) var nextBeat = ClockFrame.never
  /// Its exact time.
  private var nextTime = ClockTime(raw: 0)
  /// The last counted beat; nil before the first.
  private var lastBeat: Position?

  /// Seconds from the transport's start to the first renewal, and between renewals. PipeWire's transport waits for five
  /// seconds after a start; the control side has the other two to start it again.
  private static var renewalInterval: Int64 { @_noLocks get { 3 } }
  /// Milliseconds before the end in which nothing is renewed: a transport that is started again just when it may roll would
  /// roll a period late. Two renewals, or the last one and the end, are at most 4.5 seconds apart.
  private static var renewalMargin: Int64 { @_noLocks get { 1_500 } }

  /// A beat that is counted.
  struct Beat: BitwiseCopyable {
    let onset: TimingBuffer.Onset
    let section: Score.Section
    let sectionBar: Int
    /// The bar's number in reports: 0, −1, … before the bar in which the music begins.
    let shownBar: Int
  }

  @_noLocks
  init() {}

  /// Whether nothing is counted, and no transport waits or starts.
  /// - Thread: audio
  var isIdle: Bool { @_noLocks get { state == .idle } }

  /// Whether beats are counted.
  /// - Thread: audio
  var isCounting: Bool { @_noLocks get { state == .counting } }

  /// The next clock frame at which it wants to act; `never` if there is none.
  /// - Thread: audio
  var nextFrame: ClockFrame { @_noLocks get { holdsTransport ? nextBeat : min(nextBeat, end) } }

  // MARK: Beginning and ending

  /// Counts before the engine starts the music.
  /// - Parameters:
  ///   - entry: the position at which the music begins.
  ///   - ahead: how far before a whole frame this position lies.
  ///   - clock: the clock frame at which counting begins.
  /// - Returns: whether there is something to count.
  /// - Thread: audio
  @_noLocks
  mutating func begin(
    at entry: Position, ahead: FrameDuration, clock: ClockFrame, _ playhead: borrowing Playhead
  ) -> Bool {
    guard let length = prepare(at: entry, playhead) else { return false }
    end = clock + (length + ahead).framesRoundedUp
    (self.ahead, holdsTransport) = (ahead, false)
    entryTime = ClockTime(frame: end) - ahead
    find(playhead)
    return true
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
    switch state {
    case .idle where isOn && !isRolling:
      (state, holdsTransport) = (.asked, true)
      return false
    case .idle:
      state = .passing
      return true
    case .asked: return false
    case .counting: return !holdsTransport || next >= end
    case .passing: return true
    }
  }

  /// Begins a cycle: skips missed beats, counts if a transport waits, and ends if the transport rolls or has been stopped.
  /// - Parameter advance: frames by which the music will precede the transport.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, advance: Int64, _ playback: borrowing Playback) -> Change {
    guard holdsTransport || state == .passing else {
      skip(before: cycle.clock, playback.playhead)
      return .none
    }
    guard cycle.transport.isStarting else {
      let wasReported = isReported
      reset()
      return !wasReported ? .none : cycle.transport.isRolling ? .rolled : .stopped
    }
    let rate = Int64(playback.score.pointee.sampleRate)
    if renewal == .never { renewal = cycle.clock + Self.renewalInterval * rate }
    if holdsTransport, cycle.transport.frame != transportFrame {
      transportFrame = cycle.transport.frame
      (state, end, nextBeat) = (.asked, .never, .never)
      return .none
    }
    guard state == .asked else {
      if isCounting { keepEndOnCycle(cycle, advance: advance, playback.playhead) }
      skip(before: cycle.clock, playback.playhead)
      guard holdsTransport, cycle.clock >= renewal, end - cycle.clock > Self.renewalMargin * rate / 1_000
      else { return .none }
      renewal = cycle.clock + Self.renewalInterval * rate
      return .expiring
    }
    let frame = playback.timeline.nextFrame
    let (position, time) = playback.playhead.entry(at: frame)
    defer { isReported = isCounting }
    guard let length = prepare(at: position, playback.playhead) else {
      (state, holdsTransport) = (.passing, false)
      return isReported ? .stopped : .none
    }
    (self.advance, period) = (advance, Int64(max(cycle.frames, 1)))
    // The transport rolls only at the start of a cycle. The first beat is delayed by the frames that this adds.
    ahead = FrameTime(frame: frame) - time
    delay = .zero
    let frames = (length + ahead).framesRoundedUp
    // In this cycle the transport has been asked already, and must not roll in the next.
    end = cycle.clock + roundUp(max(frames + max(advance, 0), 2 * period), to: period)
    entryTime = ClockTime(frame: end - advance) - ahead
    find(playback.playhead)
    skip(before: cycle.clock, playback.playhead)
    return isReported ? .none : .begun
  }

  /// Delays the rest of the count if the transport can't roll at the planned end: the period or the latency has changed, or frames
  /// were missed that are not whole periods. In the last period it is too late: the transport has been allowed to roll.
  @_noLocks
  private mutating func keepEndOnCycle(_ cycle: Cycle, advance: Int64, _ playhead: borrowing Playhead) {
    let frames = Int64(max(cycle.frames, 1))
    let wait = end - cycle.clock
    guard wait > period, frames != period || advance != self.advance || wait % frames != 0 else { return }
    // PipeWire counts the cycles that the transport waits: shorter ones end the wait earlier.
    if frames < period { renewal = cycle.clock }
    let earliest = wait - self.advance + advance
    (self.advance, period) = (advance, frames)
    // In this cycle the transport has been asked already, and must not roll in the next.
    end = cycle.clock + roundUp(max(earliest, 2 * frames), to: frames)
    let time = entryTime
    entryTime = ClockTime(frame: end - advance) - ahead
    noteDelay(since: time)
    // A beat after the end before may come before the new one.
    find(playhead)
  }

  /// What changed in a cycle on a transport.
  enum Change: BitwiseCopyable {
    case none, begun, rolled, stopped
    /// The transport must be asked to wait longer.
    case expiring
  }

  /// Ends the pre-roll.
  /// - Thread: audio
  @_noLocks
  mutating func reset() { self = PreRoll() }

  /// Ends the pre-roll because the role changes.
  /// - Parameter isOnTransport: whether the new role is on the transport too, which may then wait longer.
  /// - Thread: audio
  @_noLocks
  mutating func changeRole(isOnTransport: Bool, at clock: ClockFrame) {
    let waits = isOnTransport && !(isCounting && isLastPeriod(at: clock))
    let renewal = renewal
    reset()
    if waits { self.renewal = renewal }
  }

  /// Plans what is counted before a position.
  /// - Returns: its length; nil if there is nothing to count.
  @_noLocks
  private mutating func prepare(at position: Position, _ playhead: borrowing Playhead) -> FrameDuration? {
    let score = playhead.score
    let (place, _) = score.pointee.unrolled(position.bar)
    let raw = Position(bar: place, beats: position.beats)
    // A pause may lie past the end of a new, shorter bar.
    entry = playhead.steadySection(at: raw).buffer.grid.normalised(raw)
    // The music's own count-in is enough.
    guard entry.bar > score.pointee.countInBars else { return nil }
    let section = playhead.steadySection(at: entry)
    let length = section.time(bar: entry.bar + 1, step: 0) - section.time(bar: entry.bar, step: 0)
    let seconds = Double(length.framesRoundedUp) / Double(score.pointee.sampleRate)
    let bars = score.pointee.preRoll.count(ofBars: seconds)
    guard bars > 0 else { return nil }
    (state, bar, index, lastBeat) = (.counting, entry.bar - bars, 0, nil)
    return section.time(of: entry) - section.time(bar: bar, step: 0)
  }

  // MARK: Counting

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
    guard isCounting else { return false }
    skip(before: clock, playhead)
    let old = playhead.steadySection(at: entry)
    let place = playhead.place(entry, in: next)
    let new = playhead.steadySection(at: place, in: next)
    guard next.pointee.piece == playhead.score.pointee.piece, new.buffer.hasMeter(of: old.buffer) else {
      guard holdsTransport else {
        reset()
        return true
      }
      // The next beat's index is one of the old bar. A transport that has been allowed to roll gets no further beats.
      if isLastPeriod(at: clock) {
        (state, nextBeat) = (.passing, .never)
      } else {
        (state, end, nextBeat) = (.asked, .never, .never)
      }
      return false
    }
    let shift = place.bar - entry.bar
    bar += shift
    lastBeat = lastBeat.map { Position(bar: $0.bar + shift, beats: $0.beats) }
    entry = place
    let time = findBeat(new, after: old, at: clock)
    let begin = time + (new.time(of: entry) - new.time(bar: bar, step: new.buffer.onsets[index].step))
    // If the times are the same, all frames stay.
    if (begin - entryTime).magnitude > FrameDuration(wholeFrames: 1), !isLastPeriod(at: clock) {
      move(to: begin, at: clock, before: time)
    }
    settle(new)
    if nextBeat < clock { catchUp(to: clock, new) }
    return false
  }

  /// Whether a transport has been allowed to roll, so that it is too late for a new end.
  @_noLocks
  private func isLastPeriod(at clock: ClockFrame) -> Bool { holdsTransport && end - clock <= period }

  /// Finds the next beat in other beats of the same meter.
  /// - Returns: when it is due if the count goes on without a break.
  @_noLocks
  private mutating func findBeat(
    _ new: Score.Section, after old: Score.Section, at clock: ClockFrame
  ) -> ClockTime {
    var time = nextTime
    var wait = time - ClockTime(frame: clock)
    delay = delay.converted(from: old, to: new)
    if wait > .zero {
      // A wait that a delay has made longer than a beat would grow with each change of the beat unit.
      let longest = old.duration(ofBeats: 1 << 64)
      if wait > longest {
        delay = max(delay - (wait - longest).converted(from: old, to: new), .zero)
        wait = longest
      }
      time = ClockTime(frame: clock) + wait.converted(from: old, to: new)
    }
    let beat = Position(bar: bar, beats: UInt128(old.buffer.onsets[index].beat) << 64)
    let place = new.buffer.grid.samePlace(as: beat, in: old.buffer.grid)
    lastBeat = lastBeat.map { new.buffer.grid.samePlace(as: $0, in: old.buffer.grid) }
    index = new.buffer.index(ofBeatFrom: place.beats)
    if index == new.buffer.onsets.count { (bar, index) = (bar + 1, 0) }
    time = time + (new.time(bar: bar, step: new.buffer.onsets[index].step) - new.time(of: place))
    // Of shorter beats, others may come before.
    while let (earlier, duration) = earlierBeat(new), (time - duration).nearestFrame >= clock {
      (bar, index, time) = (earlier.bar, earlier.index, time - duration)
    }
    return time
  }

  /// The beat before the next one, and the duration between both; nil if it has been counted, or if none has been.
  @_noLocks
  private func earlierBeat(_ section: Score.Section) -> (
    place: (bar: Int, index: Int), duration: FrameDuration
  )? {
    guard let last = lastBeat else { return nil }
    let onsets = section.buffer.onsets
    var (earlier, at) = (bar, index - 1)
    while at >= 0, !onsets[at].isBeat { at -= 1 }
    if at < 0 {
      (earlier, at) = (bar - 1, onsets.count - 1)
      while at > 0, !onsets[at].isBeat { at -= 1 }
    }
    let beats = UInt128(onsets[at].beat) << 64
    guard earlier > last.bar || earlier == last.bar && beats > last.beats else { return nil }
    let duration =
      section.time(bar: bar, step: onsets[index].step) - section.time(bar: earlier, step: onsets[at].step)
    return ((earlier, at), duration)
  }

  /// Moves the music's beginning.
  /// - Parameters:
  ///   - time: when it would begin if the count went on without a break.
  ///   - beat: when the next beat would begin then.
  @_noLocks
  private mutating func move(to time: ClockTime, at clock: ClockFrame, before beat: ClockTime) {
    guard holdsTransport else {
      end = (time + ahead).frameRoundedUp
      entryTime = ClockTime(frame: end) - ahead
      return
    }
    // Make up for the delay, but not so much that the next beat seems to follow the last one too soon.
    let wait = max(beat - ClockTime(frame: clock), .zero)
    let earliest = time - min(delay, FrameDuration(raw: wait.raw / 2))
    // In this cycle the transport has been asked already, and must not roll in the next.
    let roll = max((earliest + ahead).frameRoundedUp + advance, clock + period + 1)
    end = end + roundUp(roll - end, to: period)
    entryTime = ClockTime(frame: end - advance) - ahead
    noteDelay(since: time)
  }

  /// Notes by how much the music begins later than at `time`. What is more than two periods is not made up for.
  @_noLocks
  private mutating func noteDelay(since time: ClockTime) {
    delay = min(max(delay + (entryTime - time), .zero), FrameDuration(wholeFrames: 2 * period))
  }

  /// Of the beats that a change has put into the past, counts only the last one, at once.
  @_noLocks
  private mutating func catchUp(to clock: ClockFrame, _ section: Score.Section) {
    guard clock < end else {
      nextBeat = .never
      return
    }
    var last = self
    while nextBeat <= clock {
      last = self
      advance(section)
    }
    self = last
    nextBeat = clock
  }

  /// The beat that is due at or before a clock frame; nil if none is. Goes on to the next.
  /// - Thread: audio
  @_noLocks
  mutating func take(dueAt clock: ClockFrame, _ playhead: borrowing Playhead) -> Beat? {
    guard nextBeat <= clock else { return nil }
    let section = playhead.steadySection(at: entry)
    let beat = Beat(
      onset: section.buffer.onsets[index], section: section, sectionBar: bar - section.firstBar + 1,
      shownBar: bar < entry.bar
        ? bar - entry.bar + 1 : bar - section.hiddenBars + playhead.lap.elapsed.bars)
    advance(section)
    return beat
  }

  /// Skips the beats of cycles that were missed.
  @_noLocks
  private mutating func skip(before clock: ClockFrame, _ playhead: borrowing Playhead) {
    guard nextBeat < clock else { return }
    let section = playhead.steadySection(at: entry)
    while nextBeat < clock { advance(section) }
  }

  @_noLocks
  private mutating func advance(_ section: Score.Section) {
    lastBeat = Position(bar: bar, beats: UInt128(section.buffer.onsets[index].beat) << 64)
    index += 1
    settle(section)
  }

  @_noLocks
  private mutating func find(_ playhead: borrowing Playhead) { settle(playhead.steadySection(at: entry)) }

  /// Goes on to an onset that is a beat, and computes its frame.
  @_noLocks
  private mutating func settle(_ section: Score.Section) {
    let onsets = section.buffer.onsets
    while index < onsets.count, !onsets[index].isBeat { index += 1 }
    if index >= onsets.count { (bar, index) = (bar + 1, 0) }
    let origin = entryTime - section.time(of: entry)
    nextTime = origin + section.time(bar: bar, step: onsets[index].step)
    nextBeat = nextTime.nearestFrame < end ? nextTime.nearestFrame : .never
  }

  /// The smallest multiple that is not less than `frames`.
  @_noLocks
  private func roundUp(_ frames: Int64, to multiple: Int64) -> Int64 {
    let rest = frames % multiple
    return rest == 0 ? frames : frames + multiple - (rest < 0 ? rest + multiple : rest)
  }
}

extension Score.Section {
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
    guard self > .zero else { return .zero }
    let beats = Position(bar: new.firstBar, beats: old.buffer.grid.beats(in: self))
    return new.duration(ofBeats: new.buffer.grid.samePlace(as: beats, in: old.buffer.grid).beats)
  }
}

extension Playhead {
  /// The position at which the music begins at a frame, and its exact instant. A bar line that rounds to this frame is that
  /// position even if it lies slightly later: otherwise the count would have one bar more.
  /// - Thread: audio
  @_noLocks
  fileprivate func entry(at frame: TimelineFrame) -> (Position, FrameTime) {
    let line = boundary(.bar)
    if !isOver(at: frame), line.frame == frame { return (line.position, line.time) }
    let time = instant(at: frame)
    return (position(at: time), time)
  }

  /// The section of a position, in the tempo that it has there.
  /// - Parameter other: another score; nil for the playhead's own.
  /// - Thread: audio
  @_noLocks
  fileprivate func steadySection(
    at position: Position, in other: UnsafePointer<Score>? = nil
  ) -> Score.Section {
    let score = other ?? score
    var section = score.pointee.sections[score.pointee.sectionIndex(ofBar: position.bar)]
    if cursor.pace > 0 {
      section.setPace(framesPerWhole: cursor.pace)
    } else if section.changesTempo {
      let tempo = section.notes(at: section.time(of: position)).notesPerMinute
      section.setPace(
        framesPerWhole: 60 * Double(score.pointee.sampleRate) * Double(section.buffer.meterUnit) / tempo)
    }
    return section
  }
}
