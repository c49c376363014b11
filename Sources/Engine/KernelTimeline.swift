import MusicTime
import Synchronization

/// Laying the score on a timeline: the engine's own clock in `free` and `midiClock`, the JACK transport's
/// frames elsewhere.
extension Kernel {
  /// Finds out where a period lies on the timeline, and what has happened to it since the last.
  /// - Thread: audio
  @_noLocks
  mutating func layTimeline(_ cycle: Cycle) {
    let role = playhead.score.pointee.role
    let hasChangedRole = role != timelineRole
    timelineRole = role
    let wasRolling = isRolling
    switch role {
    case .free: runFree(cycle, hasChangedRole: hasChangedRole)
    case .lead:
      if hasChangedRole { untoldCycles = 0 }
      runOnTransport(cycle, hasJumped: hasChangedRole)
    case .follow: runFollowing(cycle, hasChangedRole: hasChangedRole)
    case .midiClock: runOnClock(cycle, hasChangedRole: hasChangedRole)
    case .link: runLinked(cycle, hasChangedRole: hasChangedRole)
    }
    // From here on it is the engine that says whether it plays: a start that came just before may not have been heeded.
    if hasChangedRole, role != .free, isRolling == wasRolling {
      tell(isRolling ? .started(cycle.clock) : .stopped(cycle.clock))
    }
  }

  /// The frame of the timeline at a clock frame. A transport or MIDI clock that doesn't roll stays where it is.
  /// - Thread: audio
  @_noLocks
  func timelineFrame(at clock: Int64) -> Int64 {
    timelineRole == .free || isRolling ? clock + shift : expectedFrame
  }

  @_noLocks
  private mutating func runFree(_ cycle: Cycle, hasChangedRole: Bool) {
    if hasChangedRole {
      // Whatever the transport did, the music goes on from where it is.
      playhead.leave(cycle.clock + shift, for: cycle.clock)
      shift = 0
    } else if isRolling, missedFrames(before: cycle.clock) != 0 {
      skipGap(to: cycle.clock)
    }
  }

  /// Goes on after missed cycles: the grid stays, and what should have begun in between is not begun late.
  @_noLocks
  mutating func skipGap(to frame: Int64) {
    channels.pointee.gaps.wrappingAdd(1, ordering: .relaxed)
    playhead.seek(frame)
  }

  /// Takes the transport's frame; returns whether it is another than playing on would have given.
  @_noLocks
  mutating func readTransport(_ cycle: Cycle) -> Bool {
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
    watchLead()
  }

  // MARK: Leading

  /// Cycles after which a leader that isn't asked for the position is none any more.
  private static var untoldLimit: Int { @_noLocks get { 20 } }

  /// Notices when another client has taken the lead, which JACK doesn't tell.
  @_noLocks
  private mutating func watchLead() {
    guard isRolling else { return }
    untoldCycles += 1
    if untoldCycles == Self.untoldLimit { tell(.leadLost) }
  }

  /// The position at a frame of the transport, for the timebase callback, which comes after `render`.
  ///
  /// A frame that playing on would not have given is one that the transport was asked to go to; JACK's own flag for that
  /// is not to be relied on while it rolls.
  /// - Parameter back: how many frames before that the position is to be of.
  /// - Thread: audio
  @_noLocks
  public mutating func barBeatTick(at frame: UInt32, back: Int64 = 0) -> BarBeatTick {
    untoldCycles = 0
    guard timelineRole == .lead else {
      // The score that leads is still on its way: it will play from frame 0 on.
      var playhead = playhead
      playhead.lead(from: Int64(frame))
      return barBeatTick(at: Int64(frame) - back, playhead, TickCount())
    }
    if frame != UInt32(truncatingIfNeeded: expectedFrame) {
      expectedFrame = Int64(frame)
      ticks = TickCount()
      playhead.lead(from: expectedFrame)
    }
    return barBeatTick(at: expectedFrame - back, playhead, ticks)
  }

  @_noLocks
  private func barBeatTick(at frame: Int64, _ playhead: Playhead, _ ticks: TickCount) -> BarBeatTick {
    let place = playhead.place(at: FrameTime(frame: frame))
    let buffer = place.section.buffer
    let fraction = UInt64(truncatingIfNeeded: place.notes)
    let ticksPerBeat = Double(BarBeatTick.ticksPerBeat)
    // A fraction just below one is one as a `Double`.
    let exactTick = min(Double(fraction) * 0x1p-64 * ticksPerBeat, ticksPerBeat - 0x1p-42)
    return BarBeatTick(
      // Others count from 1, count-in and all.
      bar: place.bar - place.section.hiddenBars + playhead.score.pointee.countInBars + place.lap.bars,
      beat: Int(place.notes >> 64) + 1,
      // Of the same number, or the two could contradict each other.
      tick: Int(exactTick), exactTick: exactTick,
      barStartTick: ticks.ticks(before: place.bar, in: place.section) + place.lap.ticks,
      beatsPerBar: buffer.meterCount, beatType: buffer.meterUnit, beatsPerMinute: place.notesPerMinute)
  }

  /// Keeps the ticks before each bar as they were while another score takes over.
  /// - Thread: audio
  @_noLocks
  mutating func carryTicks(to next: UnsafePointer<Score>, inBar bar: Int) {
    let sections = next.pointee.sections
    ticks.carry(
      bar: bar, from: playhead.section(ofBar: bar), to: sections[next.pointee.sectionIndex(ofBar: bar)])
  }
}
