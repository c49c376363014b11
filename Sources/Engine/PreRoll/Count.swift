import MusicTime

/// A count before the music: its beats, from one to the next, until its end.
///
/// It keeps no pointer into a score, because another score may take over while it counts.
struct Count: BitwiseCopyable {
  private var cursor: CountCursor
  private(set) var end: CountEnd
  /// The position at which the music begins, in the score.
  private var entry: Position
  /// The number of bars in the laps before it.
  private let lapBars: Int
  /// Frames per whole note of a leader's tempo; 0 for the score's own.
  private var pace: Double
  /// The clock frame of the next beat; `never` if there is none.
  private(set) var nextBeat = ClockFrame.never

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

  /// Plans the count before an entry, in the entry's tempo and pattern.
  /// - Parameters:
  ///   - clock: the clock frame at which counting begins.
  ///   - cycles: of the transport that waits; nil in `free`.
  /// - Returns: nil if nothing is to be counted.
  /// - Thread: audio
  @_noLocks
  init?(
    before entry: Playhead.Entry, at clock: ClockFrame, on cycles: CountEnd.Cycles?,
    _ playhead: borrowing Playhead
  ) {
    let (score, pace) = (playhead.score, playhead.cursor.pace)
    let (position, lapBars) = Count.place(of: entry, playhead)
    // The music's own count-in is enough, and past the score's end there is no music.
    guard position.bar > score.pointee.countInBars, !score.pointee.isOver(bar: position.bar) else {
      return nil
    }
    let section = playhead.steadySection(at: position, pace: pace)
    let seconds = Double(section.barLength.framesRoundedUp) / Double(score.pointee.sampleRate)
    let bars = score.pointee.preRoll.count(ofBars: seconds)
    guard bars > 0 else { return nil }
    cursor = CountCursor(bar: position.bar - bars)
    let target = ClockTime(frame: clock) + (section.time(of: position) - cursor.time(in: section))
    end = CountEnd(target, ahead: entry.ahead, on: cycles)
    (self.entry, self.lapBars, self.pace) = (position, lapBars, pace)
    settle(section)
  }

  /// The position of an entry in the score, and the number of bars in the laps before it.
  @_noLocks
  private static func place(
    of entry: Playhead.Entry, _ playhead: borrowing Playhead
  ) -> (position: Position, lapBars: Int) {
    let (bar, laps) = playhead.score.pointee.unrolled(entry.position.bar)
    let raw = Position(bar: bar, beats: entry.position.beats)
    // A pause may lie past the end of a new, shorter bar.
    let section = playhead.steadySection(at: raw, pace: playhead.cursor.pace)
    return (
      section.buffer.grid.normalised(raw),
      laps - playhead.score.pointee.hiddenBars(inLapBars: laps) + entry.elapsed.shownBars
    )
  }

  /// Whether the count still leads to this entry. A leader may have moved the position.
  /// - Thread: audio
  @_noLocks
  func targets(_ other: Playhead.Entry, _ playhead: borrowing Playhead) -> Bool {
    let section = section(playhead)
    let off = section.time(of: Count.place(of: other, playhead).position) - section.time(of: entry)
    return off.magnitude < section.duration(ofBeats: 1 << 59)
  }

  // MARK: Beats

  /// The beat that is due at or before a clock frame; nil if none is. Goes on to the next.
  /// - Thread: audio
  @_noLocks
  mutating func take(dueAt clock: ClockFrame, _ playhead: borrowing Playhead) -> Beat? {
    guard nextBeat <= clock else { return nil }
    let section = section(playhead)
    let bar = cursor.bar
    let beat = Beat(
      onset: cursor.onset(in: section), section: section,
      sectionIndex: playhead.score.pointee.sectionIndex(ofBar: entry.bar),
      sectionBar: bar - section.firstBar + 1,
      shownBar: bar < entry.bar ? bar - entry.bar + 1 : bar - section.hiddenBars + lapBars)
    advance(section)
    return beat
  }

  /// Skips the beats of cycles that were missed.
  /// - Thread: audio
  @_noLocks
  mutating func skip(before clock: ClockFrame, _ playhead: borrowing Playhead) {
    guard nextBeat < clock else { return }
    let section = section(playhead)
    while nextBeat < clock { advance(section) }
  }

  /// Of the beats that a change has put into the past, counts only the last one, at once.
  @_noLocks
  private mutating func catchUp(to clock: ClockFrame, _ section: Score.Section) {
    guard nextBeat < clock else { return }
    guard clock < end.frame else {
      nextBeat = .never
      return
    }
    var last = cursor
    while nextBeat <= clock {
      last = cursor
      advance(section)
    }
    (cursor, nextBeat) = (last, clock)
  }

  @_noLocks
  private mutating func advance(_ section: Score.Section) {
    cursor.advance(in: section)
    settle(section)
  }

  /// Computes the frame of the next beat.
  @_noLocks
  private mutating func settle(_ section: Score.Section) {
    let frame = beatTime(section).nearestFrame
    nextBeat = frame < end.frame ? frame : .never
  }

  /// The exact time of the next beat.
  @_noLocks
  private func beatTime(_ section: Score.Section) -> ClockTime {
    end.entryTime + (cursor.time(in: section) - section.time(of: entry))
  }

  /// The section in which the music begins, in the tempo of the count.
  @_noLocks
  private func section(_ playhead: borrowing Playhead) -> Score.Section {
    playhead.steadySection(at: entry, pace: pace)
  }

  // MARK: Another tempo, other beats

  /// Goes on in another score of the same piece and meter.
  /// - Parameters:
  ///   - mayMove: whether the end may move: the transport has not been allowed to roll.
  ///   - playhead: still with the previous score.
  /// - Returns: whether the count can go on.
  /// - Thread: audio
  @_noLocks
  mutating func adopt(
    _ next: UnsafePointer<Score>, at clock: ClockFrame, mayMove: Bool, _ playhead: borrowing Playhead
  ) -> Bool {
    skip(before: clock, playhead)
    let old = section(playhead)
    let entry = playhead.place(entry, in: next)
    let new = playhead.steadySection(at: entry, pace: pace, in: next)
    guard next.pointee.piece == playhead.score.pointee.piece, new.buffer.hasMeter(of: old.buffer) else {
      return false
    }
    return proceed(
      from: old, to: new, entry: entry, at: clock, mayMove: mayMove, longest: next.pointee.longestPreRoll)
  }

  /// Goes on in a leader's new tempo.
  /// - Returns: whether the count can go on.
  /// - Thread: audio
  @_noLocks
  mutating func followPace(at clock: ClockFrame, _ playhead: borrowing Playhead) -> Bool {
    let pace = playhead.cursor.pace
    guard pace != self.pace else { return true }
    skip(before: clock, playhead)
    let old = section(playhead)
    self.pace = pace
    return proceed(
      from: old, to: section(playhead), entry: entry, at: clock, mayMove: true,
      longest: playhead.score.pointee.longestPreRoll)
  }

  /// Goes on in another tempo, or in other beats of the same meter.
  /// - Parameters:
  ///   - entry: where the music begins in the new section.
  ///   - longest: the longest pre-roll, unless a bar is longer.
  /// - Returns: whether the count can go on; false if it would become longer.
  @_noLocks
  private mutating func proceed(
    from old: Score.Section, to new: Score.Section, entry: Position, at clock: ClockFrame,
    mayMove: Bool, longest: FrameDuration
  ) -> Bool {
    let now = ClockTime(frame: clock)
    let before = old.time(of: self.entry) - cursor.time(in: old)
    // `wait`: time to the next beat. `target`: the same without the accumulated delay. `wait` is limited to one
    // beat; otherwise each change of the beat unit would lengthen it.
    var wait = min(end.entryTime - before - now, old.duration(ofBeats: 1 << 64))
    var target = min(end.target - before - now, wait)
    let lead = cursor.carry(from: old, to: new, barShift: entry.bar - self.entry.bar)
    wait = wait.converted(from: old, to: new) + lead
    target = target.converted(from: old, to: new) + lead
    // If the new beats are shorter, earlier ones may lie between now and the next beat.
    while let (earlier, duration) = cursor.previous(in: new), (now + (wait - duration)).nearestFrame >= clock
    {
      (cursor, wait, target) = (earlier, wait - duration, target - duration)
    }
    self.entry = entry
    let after = new.time(of: entry) - cursor.time(in: new)
    let (begin, goal) = (now + wait + after, now + target + after)
    if mayMove { end.move(toBegin: begin, target: goal, wait: wait, at: clock) } else { end.aim(at: goal) }
    settle(new)
    catchUp(to: clock, new)
    return end.entryTime - now <= max(new.barLength, longest) + new.barLength
  }

  // MARK: Other cycles

  /// Moves the end if the transport can't roll there: the period or the latency has changed, or frames were missed that are not
  /// whole periods.
  /// - Returns: whether the transport's cycles have become shorter.
  /// - Thread: audio
  @_noLocks
  mutating func follow(_ cycles: CountEnd.Cycles, _ playhead: borrowing Playhead) -> Bool {
    guard end.frame > cycles.start, !end.isOn(cycles) else { return false }
    let section = section(playhead)
    let wait = nextBeat == .never ? .zero : beatTime(section) - ClockTime(frame: cycles.start)
    let isShorter = end.hasLongerPeriod(than: cycles)
    end.move(to: cycles, wait: wait)
    settle(section)
    catchUp(to: cycles.start, section)
    return isShorter
  }

  /// Moves the end if the transport, which has been allowed to roll, does so at another frame than planned.
  /// - Thread: audio
  @_noLocks
  mutating func rollNext(_ cycle: Cycle, _ playhead: borrowing Playhead) {
    let next = cycle.clock + Int64(cycle.frames)
    guard end.frame > cycle.clock, end.frame != next else { return }
    end.move(to: next)
    let section = section(playhead)
    settle(section)
    catchUp(to: cycle.clock, section)
  }

  /// Counts on until a later frame, though the transport rolls. The music begins at the same time.
  /// - Thread: audio
  @_noLocks
  mutating func prolong(to later: ClockFrame, _ playhead: borrowing Playhead) {
    end.prolong(to: later)
    settle(section(playhead))
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
