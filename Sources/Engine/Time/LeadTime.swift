import MusicTime

/// The JACK transport with this engine as the timebase leader: the transport provides the frame, the score provides bar,
/// beat and tick.
struct LeadTime: BitwiseCopyable {
  /// If JACK hasn't asked for the position in this many cycles, another client leads.
  private static var unaskedLimit: Int { @_noLocks get { 20 } }

  private var ticks = TickCount()
  /// Rolling cycles since JACK last asked for the position.
  private var unaskedCycles = 0
  /// Whether the transport has been moved since the last cycle.
  private var isLocated = false
  /// The transport's frame at its last locate, or at this source's first cycle; nil before.
  private var entry: TimelineFrame?
  /// Whether the piece of music has begun while the transport rolled, so that its start is not at the transport's frame 0.
  private var startsElsewhere = false
  /// The state before the last change of the score. JACK asks for the position that is audible, which may lie before that
  /// change.
  private var past: Past?

  private struct Past: BitwiseCopyable {
    let playhead: Playhead
    let ticks: TickCount
    /// The frame from which the present score counts.
    let end: TimelineFrame
  }

  @_noLocks
  init() {}

  /// Begins a cycle.
  /// - Parameter isNew: whether another source was active before.
  /// - Returns: whether the transport rolls and has jumped; false while it is stopped.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, isNew: Bool, _ playback: inout Playback) -> Bool {
    if isNew { unaskedCycles = 0 }
    var hasJumped = playback.take(transportFrame: cycle.transport.frame, at: cycle.clock)
    if hasJumped || isNew {
      restart(&playback)
      entry = playback.timeline.nextFrame - max(playback.timeline.advance, 0)
    }
    if isLocated { (hasJumped, isLocated) = (true, false) }
    playback.precede(by: playback.advance(cycle), at: cycle.clock, rolls: cycle.transport.isRolling)
    playback.setRolling(cycle.transport.isRolling, at: cycle.clock)
    guard playback.timeline.isRolling else {
      past = nil
      if startsElsewhere { restart(&playback) }
      return false
    }
    // JACK does not notify when another client takes the lead. The report is repeated while this lasts: a server that hangs
    // may not have reported the new leader.
    unaskedCycles += 1
    if unaskedCycles == Self.unaskedLimit {
      unaskedCycles = 0
      playback.report(.leadLost)
    }
    return hasJumped
  }

  /// Whether the transport rolls on as in the last cycle, so that `open` would change nothing. The cycle then counts as opened.
  /// - Thread: audio
  @_noLocks
  mutating func goesOn(in cycle: Cycle, _ playback: borrowing Playback) -> Bool {
    guard cycle.transport.isRolling, cycle.transport.frame == playback.timeline.nextTransportFrame,
      !isLocated, unaskedCycles + 1 < Self.unaskedLimit, playback.advance(cycle) == playback.timeline.advance
    else { return false }
    unaskedCycles += 1
    return true
  }

  /// Places the score's start at the transport's frame 0.
  @_noLocks
  private mutating func restart(_ playback: inout Playback) {
    (ticks, past, startsElsewhere) = (TickCount(), nil, false)
    let next = playback.timeline.nextFrame
    playback.playhead.lead(from: next - max(playback.timeline.advance, 0))
    playback.playhead.pass(to: next)
  }

  /// Handles that another piece of music has taken over. On a rolling transport it begins at once; when the transport stops, its
  /// start is put at frame 0.
  /// - Thread: audio
  @_noLocks
  mutating func beginPiece(_ playback: inout Playback) {
    if playback.timeline.isRolling { startsElsewhere = true } else { restart(&playback) }
  }

  /// Keeps the ticks before each bar unchanged when another score takes over.
  /// - Parameters:
  ///   - bar: the bar in which it takes over.
  ///   - frame: the frame of the timeline at which it does.
  ///   - playback: still with the previous score, which is kept until the next change.
  /// - Thread: audio
  @_noLocks
  mutating func carryTicks(
    to next: UnsafePointer<Score>, inBar bar: Int, at frame: TimelineFrame, _ playback: borrowing Playback
  ) {
    let playhead = playback.playhead
    let isAhead = playback.timeline.isRolling && playback.timeline.advance > 0
    past = isAhead ? Past(playhead: playhead, ticks: ticks, end: frame) : nil
    let sections = next.pointee.sections
    ticks.carry(
      bar: bar, from: playhead.section(ofBar: bar), of: playhead.score,
      to: sections[next.pointee.sectionIndex(ofBar: bar)], of: next)
  }

  /// Whether JACK may still ask for a position in the score before the last change.
  /// - Thread: audio
  var keepsPast: Bool { @_noLocks get { past != nil } }

  /// Records that JACK has asked for the position.
  /// - Thread: audio
  @_noLocks
  mutating func noteQuestion() { unaskedCycles = 0 }

  /// The position at a frame of the transport.
  ///
  /// A frame that does not continue the previous one is a locate. JACK's own flag for that is not reliable while the
  /// transport rolls. At such a frame the nearest beat counts as begun.
  /// - Parameter back: the position is computed for this many frames earlier.
  /// - Thread: audio
  @_noLocks
  mutating func barBeatTick(at frame: UInt32, back: Int64, _ playback: inout Playback) -> BarBeatTick {
    let advance = playback.timeline.advance
    if frame != playback.timeline.nextTransportFrame {
      playback.timeline.locate(TimelineFrame(Int64(frame) + advance))
      restart(&playback)
      isLocated = true
      entry = playback.timeline.nextFrame - advance
    }
    let audible = playback.timeline.nextFrame - advance - back
    if let past, audible < past.end { return BarBeatTick(at: audible, past.playhead, past.ticks) }
    return BarBeatTick(at: audible, playback.playhead, ticks, snaps: audible == entry)
  }
}
