import MusicTime
import Synchronization

/// Laying the score on a timeline: the engine's own clock in `free`, the JACK transport's frames elsewhere.
extension Kernel {
  /// Finds out where a period lies on the timeline, and what has happened to it since the last.
  /// - Thread: audio
  @_noLocks
  mutating func layTimeline(_ cycle: Cycle) {
    let role = playhead.score.pointee.role
    let hasChangedRole = role != timelineRole
    timelineRole = role
    switch role {
    case .free: runFree(cycle, hasChangedRole: hasChangedRole)
    case .lead: runOnTransport(cycle, hasJumped: hasChangedRole)
    case .follow:
      if hasChangedRole { tracker.release() }
      runFollowing(cycle, hasChangedRole: hasChangedRole)
    }
  }

  @_noLocks
  private mutating func runFree(_ cycle: Cycle, hasChangedRole: Bool) {
    if hasChangedRole {
      // Whatever the transport did, the music goes on from where it is.
      let position = playhead.position(at: FrameTime(roundingTo: cycle.clock + shift))
      shift = 0
      playhead.lead(from: cycle.clock)
      playhead.anchor(position, at: FrameTime(roundingTo: cycle.clock), seeking: cycle.clock)
    } else if isRolling, missedFrames(before: cycle.clock) != 0 {
      skipGap(to: cycle.clock)
    }
  }

  /// Goes on after missed cycles: the grid stays, and what should have begun in between is not begun late.
  @_noLocks
  private mutating func skipGap(to frame: Int64) {
    channels.pointee.gaps.wrappingAdd(1, ordering: .relaxed)
    playhead.seek(frame)
  }

  /// Takes the transport's frame; returns whether it is another than playing on would have given.
  @_noLocks
  private mutating func readTransport(_ cycle: Cycle) -> Bool {
    // The transport's 32 bits wrap after a day; a frame as expected modulo 2³² has not jumped.
    let missed = isRolling ? missedFrames(before: cycle.clock) : 0
    var hasJumped = false
    if cycle.transport.frame == UInt32(truncatingIfNeeded: expectedFrame) {
    } else if missed > 0, cycle.transport.frame == UInt32(truncatingIfNeeded: expectedFrame + missed) {
      expectedFrame += missed
      skipGap(to: expectedFrame)
    } else {
      expectedFrame = Int64(cycle.transport.frame)
      hasJumped = true
    }
    shift = expectedFrame - cycle.clock
    return hasJumped
  }

  @_noLocks
  private mutating func runOnTransport(_ cycle: Cycle, hasJumped: Bool) {
    if readTransport(cycle) || hasJumped {
      ticks = TickCount()
      playhead.lead(from: expectedFrame)
    }
    setRolling(cycle.transport.isRolling, at: cycle.clock)
  }

  @_noLocks
  private mutating func runFollowing(_ cycle: Cycle, hasChangedRole: Bool) {
    guard let reading = cycle.transport.leader else {
      if tracker.isLocked {
        tracker.release()
        tell(.leaderLeft)
        runOnTransport(cycle, hasJumped: true)
      } else {
        runOnTransport(cycle, hasJumped: hasChangedRole)
      }
      return
    }
    let hasJumped = readTransport(cycle)
    let known = tracker.isLocked ? tracker.leader : nil
    let rate = Double(playhead.score.pointee.sampleRate)
    guard let isContinuous = tracker.read(reading, at: expectedFrame, sampleRate: rate) else {
      // Nonsense; the music goes on as it was.
      return setRolling(cycle.transport.isRolling, at: cycle.clock)
    }
    let leader = tracker.leader
    if known == nil || !leader.equals(known!) { tell(.leader(leader)) }
    let framesPerNote = 60 * rate / leader.notesPerMinute
    playhead.follow(
      framesPerWhole: framesPerNote * Double(leader.unit), bar: tracker.bar,
      wholes: tracker.notes / Double(leader.unit), at: expectedFrame,
      tolerance: max(Int64(framesPerNote / reading.ticksPerBeat) + 1, Int64(cycle.frames)),
      hasJumped: hasJumped || !isContinuous || !isRolling)
    setRolling(cycle.transport.isRolling, at: cycle.clock)
  }

  // MARK: Leading

  /// The position at a frame of the transport, for the timebase callback, which comes after `render`.
  ///
  /// A frame that playing on would not have given is one that the transport was asked to go to; JACK's own flag for that
  /// is not to be relied on while it rolls.
  /// - Thread: audio
  @_noLocks
  public mutating func barBeatTick(at frame: UInt32) -> BarBeatTick {
    if frame != UInt32(truncatingIfNeeded: expectedFrame) {
      expectedFrame = Int64(frame)
      ticks = TickCount()
      playhead.lead(from: expectedFrame)
    }
    let buffer = playhead.buffer
    let time = FrameTime(raw: FrameTime(frame: expectedFrame).raw - playhead.origin.raw)
    let (bar, notes) = buffer.grid.notes(at: time, unit: buffer.meterUnit)
    let exactTick = Double(UInt64(truncatingIfNeeded: notes)) * 0x1p-64 * Double(BarBeatTick.ticksPerBeat)
    let tick = min(Int(exactTick), BarBeatTick.ticksPerBeat - 1)
    return BarBeatTick(
      bar: bar, beat: Int(notes >> 64) + 1, tick: tick, exactTick: exactTick,
      barStartTick: ticks.ticks(before: bar, notesPerBar: buffer.meterCount),
      beatsPerBar: buffer.meterCount, beatType: buffer.meterUnit, beatsPerMinute: buffer.notesPerMinute)
  }

  /// Remembers in which bar the meter changes, for the ticks before each bar.
  /// - Thread: audio
  @_noLocks
  mutating func noteMeterChange(to next: UnsafePointer<Score>, inBar bar: Int) {
    let count = playhead.buffer.meterCount
    guard count != next.pointee.sections[0].buffer.meterCount else { return }
    ticks.change(at: bar, notesPerBar: count)
  }
}

extension Event.Leader {
  @_noLocks
  func equals(_ other: Event.Leader) -> Bool {
    count == other.count && unit == other.unit && notesPerMinute == other.notesPerMinute
  }
}
