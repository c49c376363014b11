import MIDI
import MusicTime

/// Sends a clock, and tracks the positions of the machines that follow it.
///
/// The machines count steps, so each step is sent once and in order, even if a change of the score moves the next ones. If
/// the music jumps, or has played more than a sixteenth without steps, the machines are stopped and located.
struct ClockSender: BitwiseCopyable {
  private enum State: BitwiseCopyable {
    case stopped
    /// The music plays, but the step on which they start or continue is still to come. They were sent to it at a clock frame.
    case waiting(entry: Int64, since: ClockFrame)
    /// They were sent to the position from which they play at a clock frame.
    case running(since: ClockFrame)
  }

  /// A MIDI clock pulse has 2 to the power of this many steps.
  private let halvings: Int
  /// Machines start and continue at multiples of this many steps.
  private let entry: Int64

  private var state = State.stopped
  /// The number of the next step: the score's count plus `carried`.
  private var next: Int64 = 0
  /// The last position of the music, in 2⁻⁶⁴ steps.
  private var place: Int128 = 0
  /// Whole steps by which the count is ahead of the score's, after a change of the length of earlier bars.
  private var carried: Int64 = 0
  /// Whether the meter has changed between two steps since the machines last started or continued: their sixteenths may then be off
  /// the music's beats.
  private var mayBeOffBeats = false
  /// The music before the last change of the score, while delayed steps of it are still to be sent; nil if there are none.
  private var past: Past?
  /// The clock time of the last step.
  private var last = ClockTime(raw: 0)

  /// Whether the music has been moved since the last range.
  private var hasMoved = false
  /// Whether a machine has been connected since the last range, which must be sent to the position of the others.
  private var hasNewMachine = false
  /// The current segment without a step, if known; `place` is its start.
  private var stepFree: StepFreeRange?

  /// The music before a change of the score. It has one tempo: if the tempo has changed twice within the delay, earlier steps get the
  /// later tempo.
  private struct Past: BitwiseCopyable {
    /// The position of the change in the machines' count, in 2⁻⁶⁴ steps.
    var end: Int128
    /// `carried` before the change.
    var carried: Int64
    /// The time of the change.
    let time: FrameTime
    /// The duration of a step just before it.
    let length: FrameDuration

    @_noLocks
    func contains(step: Int64) -> Bool { Int128(step) << 64 < end }

    @_noLocks
    func time(ofStep step: Int64) -> FrameTime {
      let before = end - Int128(step) << 64
      // Steps of a fast tempo may get the length of a slow one, so the product needs room for 2⁴⁷ frames.
      return time - FrameDuration(raw: ((before >> 24) * (length.raw >> 24)) >> 16)
    }
  }

  /// The first step that isn't before a position. Positions are rounded, so one may lie slightly after its step.
  @_noLocks
  private static func step(from place: Int128) -> Int64 { Int64((place - tolerance) >> 64) + 1 }

  private static var tolerance: Int128 { @_noLocks get { 1 << 48 } }
  /// A sixteenth, in 2⁻⁶⁴ steps.
  private var sixteenth: Int128 {
    @_noLocks get { Int128(SongPosition.pulsesPerSixteenth) << (64 + halvings) }
  }

  /// - Parameters:
  ///   - halvings: a MIDI clock pulse has 2 to the power of this many steps.
  ///   - entry: machines start and continue at multiples of this many steps.
  @_noLocks
  init(halvings: Int, entry: Int64) { (self.halvings, self.entry) = (halvings, entry) }

  /// A change of the score while the music plays.
  struct Change: BitwiseCopyable {
    let time: FrameTime
    /// The same position in the old score and in the new one, in 2⁻⁶⁴ pulses.
    let old: Int128
    let new: Int128
    /// The duration of a MIDI clock pulse just before it; nil if all steps have the same times in both scores.
    let length: FrameDuration?
    /// Whether another source gives the time, so that earlier times are unknown.
    let changesSource: Bool
  }

  /// Keeps the count when the same position has another number of pulses in another score: the next step stays the next. Delayed
  /// steps that lie before the change keep their times.
  /// - Thread: audio
  @_noLocks
  mutating func carry(over change: Change) {
    let (old, new) = (steps(change.old), steps(change.new))
    let count = old + Int128(carried) << 64
    if change.changesSource {
      past = nil
    } else if let length = change.length {
      let past = Past(
        end: count, carried: carried, time: change.time, length: FrameDuration(raw: length.raw >> halvings))
      self.past = past.contains(step: next) ? past : nil
    }
    let difference = old - new
    let whole = (difference + 1 << 63) >> 64
    let remainder = difference - whole << 64
    // Positions that are equal except for rounding may lie on either side of a step.
    let isWhole = remainder < ClockSender.tolerance && remainder > -ClockSender.tolerance
    if isWhole {
      carried += Int64(whole)
    } else {
      carried += ClockSender.step(from: old) - ClockSender.step(from: new)
      mayBeOffBeats = true
    }
    // Machines that wait for a later step have not begun to count.
    if case .waiting(let step, _) = state, step >= ClockSender.step(from: count) {
      if step > 0 { joinBeats() } else { forgetCount() }
      // The first downbeat has passed in the new score: they are sent to the music's position.
      if step == 0, ClockSender.step(from: new) > 0 { state = .stopped }
    }
  }

  /// Records that the music moves to another position.
  /// - Thread: audio
  @_noLocks
  mutating func move() { hasMoved = true }

  /// Sends machines that were connected at a clock frame to the music's position, unless they have been sent to it since.
  /// - Thread: audio
  @_noLocks
  mutating func place(connectedAt clock: ClockFrame) {
    switch state {
    // They will be sent to it, or started.
    case .stopped, .waiting(entry: 0, since: _): return
    case .waiting(_, let since), .running(let since):
      guard since < clock else { return }
      // A machine that was away when the others were stopped still runs, and must be stopped before it is placed.
      state = .running(since: since)
      hasNewMachine = true
      wake()
    }
  }

  // MARK: Sending

  /// Sends the clock of a range in which the music plays and nothing changes.
  /// - Parameters:
  ///   - range: clock frames.
  ///   - uncertainty: the largest error of a leader's position, in whole notes.
  ///   - offset: frames by which the steps follow the clicks.
  ///   - search: frames that the machines take to find a position before they can continue there.
  ///   - isEarly: whether steps are sent before the one with which the machines start, too.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func send(
    _ range: Range<ClockFrame>, _ playback: borrowing Playback, within uncertainty: Double, offset: Int64,
    search: Int64, sendsBefore isEarly: Bool, on line: ClockLine
  ) {
    if !rests(through: range, playback) {
      sendSteps(
        range, playback, within: uncertainty, offset: offset, search: search, sendsBefore: isEarly,
        on: line)
    }
  }

  // Not inline, so that periods without a step (almost all) do not set up its stack frame.
  @_noLocks
  @inline(never)
  private mutating func sendSteps(
    _ range: Range<ClockFrame>, _ playback: borrowing Playback, within uncertainty: Double, offset: Int64,
    search: Int64, sendsBefore isEarly: Bool, on line: ClockLine
  ) {
    let clock = range.lowerBound
    // Times from here on round to this frame or a later one.
    let begin = FrameTime(roundingTo: playback.timeline.frame(at: clock))
    let segment = playback.playhead.segment(at: begin)
    let here = steps(segment.pulses(at: begin))
    if hasNewMachine || isElsewhere(here) { stop(at: clock, on: line) }
    if case .stopped = state {
      let doubt = steps(Int128(Int64(uncertainty * 96 * 0x1p32)) << 32)
      // Each step is sent `offset` frames after its time.
      let found = position(at: clock + (search > 0 ? max(search - offset, 0) : 0), playback)
      let early = isEarly ? position(at: clock - offset, playback) : nil
      enter(here, within: doubt, from: found, sendsFrom: early, at: clock, on: line)
    }
    let next = sendSteps(
      range, playback.playhead, in: offset == 0 ? segment : nil,
      by: playback.timeline.shift.delayed(by: offset), on: line)
    let end = FrameTime(roundingTo: playback.timeline.frame(at: range.upperBound))
    let there = steps(end < segment.end ? segment.pulses(at: end) : playback.playhead.pulses(at: end))
    place = there + Int128(carried) << 64
    stepFree = StepFreeRange(StepFreeRange.Basis(playback), from: range, until: next, gone: there - here)
  }

  /// The position in the score at a clock frame, in 2⁻⁶⁴ steps.
  @_noLocks
  private func position(at clock: ClockFrame, _ playback: borrowing Playback) -> Int128 {
    steps(playback.playhead.pulses(at: FrameTime(roundingTo: playback.timeline.frame(at: clock))))
  }

  /// Stops the machines that follow, since the music is stopped.
  /// - Thread: audio
  @_noLocks
  mutating func stand(at clock: ClockFrame, on line: ClockLine) {
    wake()
    stop(at: clock, on: line)
  }

  /// - Parameters:
  ///   - first: the segment at the range's start, if it is known.
  ///   - shift: from the clock frame on which a step is sent to its time on the timeline.
  /// - Returns: the clock frame before which there is no other step if nothing changes.
  @_noLocks
  private mutating func sendSteps(
    _ range: Range<ClockFrame>, _ playhead: borrowing Playhead, in first: Playhead.Segment?,
    by shift: TimelineShift, on line: ClockLine
  ) -> ClockFrame {
    var time = FrameTime(roundingTo: shift.frame(at: range.lowerBound))
    var known = first
    while let past {
      guard past.contains(step: next) else {
        self.past = nil
        time = max(time, past.time)
        break
      }
      let frame = shift.clock(of: past.time(ofStep: next).nearestFrame)
      guard frame < range.upperBound else { return frame }
      let step = ClockStep(
        number: next, inScore: next - past.carried, segment: playhead.segment(at: past.time))
      guard send(step, playhead, at: max(frame, range.lowerBound), on: line) else { return range.upperBound }
      last = shift.clock(of: past.time(ofStep: step.number))
    }
    while true {
      let segment: Playhead.Segment
      if let first = known { segment = first } else { segment = playhead.segment(at: time) }
      known = nil
      while true {
        let step = ClockStep(number: next, inScore: next - carried, segment: segment)
        let time = segment.time(ofStep: step.inScore, halvings: halvings)
        if time >= segment.end { break }
        let frame = shift.clock(of: time.nearestFrame)
        guard frame < range.upperBound else { return frame }
        let sent = send(step, playhead, at: max(frame, range.lowerBound), on: line)
        guard sent else { return range.upperBound }
        last = shift.clock(of: time)
      }
      guard segment.end > time else { return range.upperBound }
      let end = shift.clock(of: segment.end.nearestFrame)
      guard end < range.upperBound else { return end }
      time = segment.end
    }
  }

  // MARK: Inside

  /// - Returns: 2⁻⁶⁴ steps.
  @_noLocks
  @inline(__always)
  private func steps(_ pulses: Int128) -> Int128 { pulses << halvings }

  /// Whether no step falls in a range. If so, the range counts as sent.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func rests(through range: Range<ClockFrame>, _ playback: borrowing Playback) -> Bool {
    guard stepFree != nil else { return false }
    if !hasMoved, stepFree!.pass(range, playback) { return true }
    wake()
    return false
  }

  /// The clock frame until which no step is sent if nothing changes after a range; `earliest` if that is not known.
  /// - Parameter clock: the end of the range.
  /// - Thread: audio
  @_noLocks
  func restEnd(at clock: ClockFrame, _ playback: borrowing Playback) -> ClockFrame {
    guard !hasMoved, let stepFree else { return .earliest }
    return stepFree.end(at: clock, playback)
  }

  /// Passes ranges that lie before `restEnd`.
  /// - Parameter clock: the end of the last one.
  /// - Thread: audio
  @_noLocks
  mutating func rest(until clock: ClockFrame) {
    if stepFree != nil { stepFree!.pass(to: clock) }
  }

  /// Updates `place` to the position of the music.
  @_noLocks
  private mutating func wake() {
    guard let stepFree else { return }
    place += stepFree.progress
    self.stepFree = nil
  }

  /// Whether steps alone can't bring the machines to a position: steps can be late, but not withdrawn.
  /// - Parameter back: how far before the last position it may be, in 2⁻⁶⁴ steps.
  @_noLocks
  private func isElsewhere(_ place: Int128, back: Int128 = 1 << 64) -> Bool {
    let distance = place + Int128(carried) << 64 - self.place
    return hasMoved || distance > sixteenth || distance < -back
  }

  /// Stops the machines.
  @_noLocks
  private mutating func stop(at clock: ClockFrame, on line: ClockLine) {
    if case .running = state { line.stop(at: clock) }
    state = .stopped
  }

  /// Makes the machines start or continue at the next possible step, not before the first. A position that can't be sent to
  /// them is left out: they then continue from their own position.
  /// - Parameters:
  ///   - place: the position in the score, in 2⁻⁶⁴ steps.
  ///   - doubt: how far before this position the music may be, in 2⁻⁶⁴ steps.
  ///   - found: the music's position when the machines have found theirs. At the very start they need no time for this.
  ///   - early: the position from which steps are sent before that, too; nil if none are.
  @_noLocks
  private mutating func enter(
    _ place: Int128, within doubt: Int128, from found: Int128, sendsFrom early: Int128?, at clock: ClockFrame,
    on line: ClockLine
  ) {
    // At the start of the music and after a jump the machines get the score's count; otherwise they keep theirs. A transport may
    // continue earlier than it stopped, by the latency.
    if ClockSender.step(from: place) <= 0 || isElsewhere(place, back: 4 * sixteenth) {
      (carried, mayBeOffBeats) = (0, false)
    }
    joinBeats()
    (hasMoved, hasNewMachine, past) = (false, false, nil)
    let here = place + Int128(carried) << 64
    let first = ClockSender.step(from: here - doubt)
    let ready = first > 0 ? ClockSender.step(from: here - doubt + max(found - place, 0)) : 0
    let entry = (ready + self.entry - 1) / self.entry * self.entry
    line.locate(to: entry, at: clock)
    next = entry
    if let early { next = min(next, ClockSender.step(from: early + Int128(carried) << 64 - doubt)) }
    state = .waiting(entry: entry, since: clock)
  }

  /// Sets the machines back by less than a sixteenth if their sixteenths may be off the music's beats.
  @_noLocks
  private mutating func joinBeats() {
    guard mayBeOffBeats else { return }
    mayBeOffBeats = false
    let remainder = carried % entry
    setBack(by: remainder < 0 ? remainder + entry : remainder)
  }

  /// Gives machines that have not started the score's count.
  @_noLocks
  private mutating func forgetCount() {
    // Steps before the start are sent only while the clock runs.
    if next < 0 { next = min(next - carried, 0) }
    setBack(by: carried)
    mayBeOffBeats = false
  }

  /// Lowers the machines' count.
  @_noLocks
  private mutating func setBack(by steps: Int64) {
    carried -= steps
    place -= Int128(steps) << 64
    past?.end -= Int128(steps) << 64
    past?.carried -= steps
  }

  /// Sends the next step, preceded by the start if it is due.
  /// - Returns: false if there is no room.
  @_noLocks
  private mutating func send(
    _ step: ClockStep, _ playhead: borrowing Playhead, at clock: ClockFrame, on line: ClockLine
  ) -> Bool {
    if case .waiting(let entry, let since) = state, entry == next {
      guard line.start(with: next, at: clock) else { return false }
      // At the start of the music no position is sent.
      state = .running(since: entry == 0 ? clock : since)
    }
    guard line.send(step, playhead, at: clock) else { return false }
    next += 1
    return true
  }
}

extension ClockSender {
  /// Sends pulses of the MIDI clock while the music is stopped.
  /// - Parameter length: the duration of a pulse.
  /// - Thread: audio
  @_noLocks
  mutating func tick(_ range: Range<ClockFrame>, length: FrameDuration, on line: MIDILine) {
    var time = last + length
    if time.nearestFrame < range.lowerBound { time = ClockTime(frame: range.lowerBound) }
    while true {
      let frame = time.nearestFrame
      guard frame < range.upperBound, line.send(.clock, at: frame) else { return }
      last = time
      time = time + length
    }
  }
}
