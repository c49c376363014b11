import MusicTime

/// Follows another timebase leader: the music plays while the transport rolls, on the leader's beats.
struct FollowTime: BitwiseCopyable {
  /// Seconds without a reading after which the leader counts as gone: a locate hides it for a cycle.
  private static var patience: Double { @_noLocks get { 0.1 } }

  private var tracker = LeaderTracker()
  private var check = LeaderCheck()
  private var bars = LeaderBars()
  /// Whether the leader contradicts itself.
  private var isContradictory = false
  /// Whether the absence of a leader has been reported.
  private var isAlone = false

  /// Whether to run `LeaderCheck`: false for Ableton Link, whose numbers agree.
  private let checks: Bool

  @_noLocks
  init(checks: Bool = true) { self.checks = checks }

  /// The largest error of the leader's position, in whole notes; 0 without a leader.
  /// - Thread: audio
  var uncertainty: Double { @_noLocks get { tracker.isLocked ? tracker.uncertainty : 0 } }

  /// Whether the leader's meter differs from the score's, so that the score's bar lines may never come.
  /// - Thread: audio
  @_noLocks
  func missesLines(_ playback: borrowing Playback) -> Bool {
    let buffer = playback.playhead.buffer
    return tracker.isLocked
      && (tracker.leader.count != buffer.meterCount || tracker.leader.unit != buffer.meterUnit)
  }

  /// Forgets the last reading, because the leader's position has jumped.
  /// - Thread: audio
  @_noLocks
  mutating func losePlace() { tracker.losePlace() }

  /// Begins a cycle.
  /// - Parameters:
  ///   - advance: frames by which the music is to precede the transport.
  ///   - isNew: whether another source was active before.
  ///   - barStart: whole notes from the music's start to the leader's bar; nil to find them from its readings.
  /// - Returns: whether the transport rolls and has jumped or has its leader's first reading; false in the source's first
  ///   cycle.
  /// - Thread: audio
  @_noLocks
  @discardableResult
  mutating func open(
    _ transport: Cycle.Transport, advance: Int64, _ cycle: Cycle, isNew: Bool, barStart: Double? = nil,
    _ playback: inout Playback
  ) -> Bool {
    if isNew {
      tracker.release()
      bars = LeaderBars()
      forgetContradiction()
      isAlone = false
    }
    let wasWaiting = playback.playhead.nextFrame == .never
    let hasJumped = playback.take(transportFrame: transport.frame, at: cycle.clock) || isNew
    if hasJumped {
      tracker.losePlace()
      check.losePlace()
    }
    if hasJumped {
      // The playhead is still at the old place, and is moved below.
      _ = playback.timeline.setAdvance(advance, at: cycle.clock)
    } else {
      playback.precede(by: advance, at: cycle.clock, rolls: transport.isRolling)
    }
    let known = tracker.isLocked ? tracker.leader : nil
    let wasContradictory = isContradictory
    let rate = Double(playback.score.pointee.sampleRate)
    var reading = transport.leader
    reading?.offset += Int(advance)
    if checks, reading != nil {
      isContradictory = check.correct(
        &reading!, at: playback.timeline.nextFrame, sampleRate: rate, isRolling: transport.isRolling)
      if check.hasStopped { reading = nil }
    }
    // Ignore an invalid reading.
    if let reading,
      let motion = tracker.read(reading, at: playback.timeline.nextFrame, sampleRate: rate)
    {
      if !(known?.equals(tracker.leader) ?? false) || isContradictory != wasContradictory {
        var leader = tracker.leader
        leader.isCounted = isContradictory
        playback.report(.leader(leader))
      }
      isAlone = false
      // The music is ahead by `advance`, so a leader's change is known that much later: tolerate it.
      follow(
        reading, motion, at: playback.timeline.nextFrame, frames: cycle.frames + Int(max(advance, 0)),
        barStart, &playback)
    } else if !isAlone {
      waitForLeader(
        cycle.frames, isThere: transport.leader != nil, hasJumped: hasJumped, patience: rate * Self.patience,
        &playback)
    } else if hasJumped {
      playback.playhead.lead(from: playback.timeline.nextFrame)
    }
    playback.setRolling(transport.isRolling, at: cycle.clock)
    let hasBegun = wasWaiting && playback.playhead.nextFrame != .never
    return transport.isRolling && (hasJumped || hasBegun) && !isNew
  }

  /// Follows a reading in a score that has just taken over: its place in the bar may differ, though the leader has not jumped.
  /// - Parameters:
  ///   - frame: of the timeline.
  ///   - barStart: whole notes from the music's start to the leader's bar.
  /// - Thread: audio
  @_noLocks
  mutating func followAgain(
    _ reading: Cycle.Leader, at frame: TimelineFrame, barStart: Double, _ playback: inout Playback
  ) {
    tracker.losePlace()
    let rate = Double(playback.score.pointee.sampleRate)
    guard tracker.read(reading, at: frame, sampleRate: rate) != nil else { return }
    follow(reading, .corrected, at: frame, frames: 0, barStart, &playback)
  }

  @_noLocks
  private mutating func follow(
    _ reading: Cycle.Leader, _ motion: LeaderTracker.Motion, at frame: TimelineFrame, frames: Int,
    _ barStart: Double?, _ playback: inout Playback
  ) {
    let leader = tracker.leader
    let framesPerNote = 60 * Double(playback.score.pointee.sampleRate) / leader.notesPerMinute
    let framesPerWhole = framesPerNote * Double(leader.unit)
    // If a leader's tick is rounded down, the onset at its position may seem to lie a tick in the past.
    let tolerance =
      motion == .jumped
      ? Int64(tracker.uncertainty * framesPerWhole + 0.5)
      : max(Int64(framesPerNote / reading.ticksPerBeat) + 1, Int64(frames))
    let wholes = tracker.wholes
    let start =
      barStart ?? bars.start(reading, motion, wholes: wholes, at: frame, pace: 1 / framesPerWhole)
    // The music precedes the transport: it may be in a bar that the leader has not reached yet.
    let barLength = reading.beatsPerBar / reading.beatType
    let passed = Double(max(Int(wholes / barLength), 0))
    playback.playhead.follow(
      framesPerWhole: framesPerWhole, bar: tracker.bar + Int(passed),
      barStart: start.map { $0 + passed * barLength }, wholes: wholes - passed * barLength, at: frame,
      tolerance: tolerance, motion: motion)
  }

  @_noLocks
  private mutating func forgetContradiction() {
    check.release()
    isContradictory = false
  }

  /// Handles a missing reading. The music of a known leader continues for a while, but not after a jump to an unknown position.
  ///
  /// A leader that left before its first reading is reported too: the conductor waits for that before Tactus leads again.
  /// - Parameter isThere: whether there is a reading, although it is unusable, such as a position that stands still.
  @_noLocks
  private mutating func waitForLeader(
    _ frames: Int, isThere: Bool, hasJumped: Bool, patience: Double, _ playback: inout Playback
  ) {
    let wasLed = tracker.isLocked
    isAlone = !tracker.miss(frames, patience: patience)
    if isAlone {
      tracker.release()
      bars = LeaderBars()
      isContradictory = false
      // A leader whose position stands still is trusted again only when it moves.
      if !isThere { check.release() }
      playback.report(.leaderLeft)
    }
    if wasLed ? isAlone : hasJumped {
      playback.playhead.lead(from: playback.timeline.nextFrame)
    } else if hasJumped {
      playback.playhead.deactivate()
    }
  }
}

extension Event.Leader {
  @_noLocks
  fileprivate func equals(_ other: Event.Leader) -> Bool {
    count == other.count && unit == other.unit && notesPerMinute == other.notesPerMinute
  }
}
