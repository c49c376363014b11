import MusicTime
import Realtime
import Synchronization

/// The time source: one of five, selected by the score's mode.
///
/// Each source has `open`, which begins a cycle. Sources that act within a period also have `nextFrame`, the next frame at
/// which they want to act, `perform`, which lets them act, and `handle` for commands. They change the given playback; their
/// other state is private.
struct TimeSource: ~Copyable {
  private var mode = SyncMode.free
  private var free = FreeTime()
  private var lead = LeadTime()
  private var follow = FollowTime()
  private var midiClock: MIDIClockTime
  private var link = LinkTime()
  private let pin = Pin()

  /// - Parameter score: the first score; its mode selects the source.
  init(_ score: UnsafePointer<Score>) {
    mode = score.pointee.role
    midiClock = MIDIClockTime(sampleRate: score.pointee.sampleRate)
  }

  /// Begins a cycle: determines its position on the timeline, and detects starts, stops and jumps since the last cycle.
  /// - Returns: frames, 0 or more: `advance` if a transport has just started or jumped. Onsets of these frames were due before
  ///   the cycle.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, _ playback: inout Playback) -> Int64 {
    let isNew = playback.score.pointee.role != mode
    let wasRolling = playback.timeline.isRolling
    if isNew {
      change(to: playback.score.pointee.role)
      playback.timeline.forgetAdvance()
    }
    playback.timeline.begin(runsAlways: mode == .free)
    var hasJumped = false
    switch mode {
    case .free: free.open(cycle, isNew: isNew, &playback)
    case .lead: hasJumped = lead.open(cycle, isNew: isNew, &playback)
    case .follow:
      hasJumped = follow.open(
        cycle.transport, advance: playback.advance(cycle), cycle, isNew: isNew, &playback)
    case .midiClock: midiClock.open(cycle, isNew: isNew, &playback)
    case .link: link.open(cycle, isNew: isNew, &playback)
    }
    if mode != .midiClock { midiClock.listen(cycle, playback) }
    // From now on the engine reports whether it rolls: a start requested just before may not have been obeyed.
    if isNew, mode != .free, playback.timeline.isRolling == wasRolling {
      playback.reportRolling(at: cycle.clock)
    }
    let hasEntered = playback.timeline.isRolling && !isNew && (hasJumped || !wasRolling)
    return hasEntered && mode.isOnTransport ? max(playback.timeline.advance, 0) : 0
  }

  /// Whether the music plays from a source that reads nothing in a cycle but the transport, which `goesOn` compares.
  /// - Thread: audio
  @_noLocks
  func isSteady(_ playback: borrowing Playback, at clock: ClockFrame) -> Bool {
    (mode == .free || mode == .lead) && mode == playback.score.pointee.role && playback.nextOnset != .never
      && !midiClock.isRolling(at: clock)
  }

  /// Whether `open` would change nothing in a cycle, after a steady one. It then counts as opened.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func goesOn(in cycle: Cycle, _ playback: borrowing Playback) -> Bool {
    mode == .free || lead.goesOn(in: cycle, playback)
  }

  /// Handles the MIDI clock of a cycle in which nothing plays, because its sample rate is not the score's.
  /// - Thread: audio
  @_noLocks
  mutating func listen(_ cycle: Cycle, _ playback: borrowing Playback) { midiClock.listen(cycle, playback) }

  @_noLocks
  private mutating func change(to next: SyncMode) {
    if mode == .free { free.leave() }
    mode = next
  }

  /// The next clock frame at which the source wants to act; `never` if there is none in the period.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func nextFrame(_ playback: borrowing Playback) -> ClockFrame {
    switch mode {
    case .free: free.nextFrame(playback)
    case .midiClock: midiClock.nextFrame
    case .lead, .follow, .link: .never
    }
  }

  /// Performs what is due at or before a clock frame.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func perform(at clock: ClockFrame, _ playback: inout Playback) {
    switch mode {
    case .free: free.perform(at: clock, &playback)
    case .midiClock: midiClock.perform(at: clock, &playback)
    case .lead, .follow, .link: break
    }
  }

  /// Handles a command. Only the engine's own clock and a MIDI clock obey commands; in the other modes the transport or the
  /// session decides.
  /// - Returns: whether the music was moved while it played.
  /// - Thread: audio
  @_noLocks
  mutating func handle(_ action: Command.Action, at clock: ClockFrame, _ playback: inout Playback) -> Bool {
    switch mode {
    case .free: return free.handle(action, at: clock, &playback)
    case .midiClock: midiClock.handle(action, at: clock, &playback)
    case .lead, .follow, .link: break
    }
    return false
  }

  /// The position at which a start begins the music; nil if it plays, or if another source starts it.
  /// - Thread: audio
  @_noLocks
  func entry(_ playback: borrowing Playback) -> Playhead.Entry? {
    mode == .free && !playback.timeline.isRolling ? free.nextEntry : nil
  }

  /// Whether it has ended the score before its own end, so that nothing of the score begins there.
  /// - Thread: audio
  var hasCut: Bool { @_noLocks get { mode == .free && free.hasCut } }

  /// Whether another score may follow at the end of the one that plays.
  /// - Thread: audio
  var goesOnAtEnd: Bool { @_noLocks get { mode == .free && free.goesOn } }

  /// Handles the end of the score. A transport may roll on, without further onsets.
  /// - Thread: audio
  @_noLocks
  mutating func finish(at clock: ClockFrame, _ playback: inout Playback) {
    if mode == .free { free.stop(at: clock, &playback) }
  }

  /// Keeps bar counts, and the place of a pause, unchanged when another score takes over.
  /// - Parameters:
  ///   - bar: the bar in which it takes over.
  ///   - frame: the frame of the timeline at which it does.
  /// - Thread: audio
  @_noLocks
  mutating func carry(
    to next: UnsafePointer<Score>, inBar bar: Int, at frame: TimelineFrame, _ playback: borrowing Playback
  ) {
    lead.carryTicks(to: next, inBar: bar, at: frame, playback)
    free.carryEntry(to: next, playback)
  }

  /// Handles that another piece of music has taken over.
  /// - Thread: audio
  @_noLocks
  mutating func beginPiece(_ playback: inout Playback) {
    if mode == .lead { lead.beginPiece(&playback) }
  }

  /// Finds the source's position in a score that has just taken over: in another meter it has another bar.
  /// - Thread: audio
  @_noLocks
  mutating func followAgain(at clock: ClockFrame, _ playback: inout Playback) {
    guard playback.score.pointee.role == mode else { return }
    switch mode {
    case .midiClock: midiClock.followAgain(at: clock, &playback)
    case .link: link.followAgain(at: clock, &playback)
    case .free, .lead, .follow: break
    }
  }

  /// Whether the score's bar lines may never come, as its bars are not the leader's.
  /// - Thread: audio
  @_noLocks
  func missesLines(_ playback: borrowing Playback) -> Bool { mode == .follow && follow.missesLines(playback) }

  /// Whether the score before the last change is still needed for positions.
  /// - Thread: audio
  var keepsPast: Bool { @_noLocks get { mode == .lead && lead.keepsPast } }

  /// Whether the music of a received MIDI clock rolls, followed or not.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func isMIDIClockRolling(at clock: ClockFrame) -> Bool { midiClock.isRolling(at: clock) }

  /// The largest error of an external position, in whole notes.
  /// - Thread: audio
  var uncertainty: Double {
    @_noLocks get {
      switch mode {
      case .follow: follow.uncertainty
      case .link: link.uncertainty
      case .free, .lead, .midiClock: 0
      }
    }
  }

  /// The duration of a MIDI clock pulse at the position where the music would continue.
  /// - Thread: audio
  @_noLocks
  func standingPulseLength(at clock: ClockFrame, _ playback: borrowing Playback) -> FrameDuration {
    mode == .free && !playback.timeline.isRolling
      ? playback.playhead.pulseLength(at: free.nextEntry.position)
      : playback.playhead.pulseLength(at: playback.time(at: clock))
  }

  /// The position at a frame of the transport, for the timebase callback, which runs after `render`.
  /// - Parameter back: the position is computed for this many frames earlier.
  /// - Thread: audio
  @_noLocks
  mutating func barBeatTick(at frame: UInt32, back: Int64, _ playback: inout Playback) -> BarBeatTick {
    lead.noteQuestion()
    guard mode == .lead else {
      // The score of mode `lead` has not arrived yet. It will play from frame 0.
      var playhead = playback.playhead
      let frame = TimelineFrame(Int64(frame))
      playhead.lead(from: frame)
      return BarBeatTick(at: frame - back, playhead, TickCount())
    }
    return lead.barBeatTick(at: frame, back: back, &playback)
  }
}
