import MusicTime

/// The JACK transport with this engine as the timebase leader: the transport provides the frame, the score provides bar,
/// beat and tick.
struct LeadTime: BitwiseCopyable {
  /// If JACK hasn't asked for the position in this many cycles, another client leads.
  private static var untoldLimit: Int { @_noLocks get { 20 } }

  private var ticks = TickCount()
  /// Rolling cycles since JACK last asked for the position.
  private var untoldCycles = 0

  @_noLocks
  init() {}

  /// Begins a cycle.
  /// - Parameter isNew: whether another source was active before.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, isNew: Bool, _ playback: inout Playback) {
    if isNew { untoldCycles = 0 }
    if playback.take(transportFrame: cycle.transport.frame, at: cycle.clock) || isNew { restart(&playback) }
    playback.setRolling(cycle.transport.isRolling, at: cycle.clock)
    guard playback.timeline.isRolling else { return }
    // JACK doesn't notify when another client takes the lead.
    untoldCycles += 1
    if untoldCycles == Self.untoldLimit { playback.report(.leadLost) }
  }

  /// Places the score's start at the transport's frame 0.
  @_noLocks
  private mutating func restart(_ playback: inout Playback) {
    ticks = TickCount()
    playback.playhead.lead(from: playback.timeline.nextFrame)
  }

  /// Keeps the ticks before each bar unchanged when another score takes over.
  /// - Parameter bar: the bar in which it takes over.
  /// - Thread: audio
  @_noLocks
  mutating func carryTicks(to next: UnsafePointer<Score>, inBar bar: Int, _ playhead: borrowing Playhead) {
    let sections = next.pointee.sections
    ticks.carry(
      bar: bar, from: playhead.section(ofBar: bar), to: sections[next.pointee.sectionIndex(ofBar: bar)])
  }

  /// Records that JACK has asked for the position.
  /// - Thread: audio
  @_noLocks
  mutating func noteQuestion() { untoldCycles = 0 }

  /// The position at a frame of the transport.
  ///
  /// A frame that does not continue the previous one is a locate. JACK's own flag for that is not reliable while the
  /// transport rolls.
  /// - Parameter back: the position is computed for this many frames earlier.
  /// - Thread: audio
  @_noLocks
  mutating func barBeatTick(at frame: UInt32, back: Int64, _ playback: inout Playback) -> BarBeatTick {
    if frame != UInt32(truncatingIfNeeded: playback.timeline.nextFrame.number) {
      playback.timeline.locate(TimelineFrame(Int64(frame)))
      restart(&playback)
    }
    return BarBeatTick(at: playback.timeline.nextFrame - back, playback.playhead, ticks)
  }
}
