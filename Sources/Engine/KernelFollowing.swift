import MusicTime

/// Playing on the beats of another timebase leader.
extension Kernel {
  /// Seconds for which a leader may fall silent before it counts as gone: a relocation hides it for a cycle.
  private static var patience: Double { @_noLocks get { 0.1 } }

  /// - Thread: audio
  @_noLocks
  mutating func runFollowing(_ cycle: Cycle, hasChangedRole: Bool) {
    if hasChangedRole { tracker.release() }
    let hasJumped = readTransport(cycle) || hasChangedRole
    if hasJumped { tracker.losePlace() }
    let known = tracker.isLocked ? tracker.leader : nil
    let rate = Double(playhead.score.pointee.sampleRate)
    // A reading that makes no sense is none.
    if let reading = cycle.transport.leader,
      let course = tracker.read(reading, at: expectedFrame, sampleRate: rate)
    {
      if known == nil || !tracker.leader.equals(known!) { tell(.leader(tracker.leader)) }
      follow(reading, course, frames: cycle.frames)
    } else if tracker.isLocked {
      waitForLeader(cycle.frames, hasJumped: hasJumped, patience: rate * Self.patience)
    } else if hasJumped {
      ticks = TickCount()
      playhead.lead(from: expectedFrame)
    }
    setRolling(cycle.transport.isRolling, at: cycle.clock)
  }

  @_noLocks
  private mutating func follow(_ reading: Cycle.Leader, _ course: LeaderTracker.Course, frames: Int) {
    let leader = tracker.leader
    let framesPerNote = 60 * Double(playhead.score.pointee.sampleRate) / leader.notesPerMinute
    let framesPerWhole = framesPerNote * Double(leader.unit)
    // Where a leader's tick is rounded down, the onset to which it was moved seems to lie that much in the past.
    let tolerance =
      course == .jumped
      ? Int64(tracker.uncertainty * framesPerWhole + 0.5)
      : max(Int64(framesPerNote / reading.ticksPerBeat) + 1, Int64(frames))
    playhead.follow(
      framesPerWhole: framesPerWhole, bar: tracker.bar, wholes: tracker.wholes, at: expectedFrame,
      tolerance: tolerance, course: course)
  }

  /// A locked leader says nothing: the music goes on as it was for a while, but not from a place that nobody has told.
  @_noLocks
  private mutating func waitForLeader(_ frames: Int, hasJumped: Bool, patience: Double) {
    if tracker.miss(frames, patience: patience) {
      if hasJumped { playhead.rest() }
    } else {
      tracker.release()
      tell(.leaderLeft)
      ticks = TickCount()
      playhead.lead(from: expectedFrame)
    }
  }
}

extension Event.Leader {
  @_noLocks
  func equals(_ other: Event.Leader) -> Bool {
    count == other.count && unit == other.unit && notesPerMinute == other.notesPerMinute
  }
}
