import MusicTime
import Synchronization

/// Follows a MIDI clock's starts, stops, position and tempo.
struct MIDIClockTime: ~Copyable {
  /// The smallest change of the clock's tempo that is reported, in quarters per minute.
  private static var reportedStep: Double { @_noLocks get { 0.1 } }

  private var input: MIDIClockInput
  /// Whether the clock has been reported to the conductor.
  private var isKnown = false
  /// The last reported tempo in quarters per minute; 0 for none.
  private var knownTempo = 0.0
  /// Whether the clock has begun or stopped in periods that only called `listen`; nil for neither.
  private var pendingRolling: Bool?
  /// The frame of the last onset before the music moved.
  private var lastOnset = TimelineFrame(.min / 2)

  /// - Parameter sampleRate: frames per second.
  init(sampleRate: Int) { input = MIDIClockInput(sampleRate: sampleRate) }

  /// Handles the messages of a period while another source is active, so that it is known whether a clock rolls.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func listen(_ cycle: Cycle, _ playback: borrowing Playback) {
    input.setSampleRate(cycle.sampleRate ?? playback.score.pointee.sampleRate, from: cycle.clock)
    input.setAdvance(cycle, playback.score.pointee.clockIn.advance)
    input.open(cycle)
    while input.nextFrame != .never {
      switch input.take() {
      case .began: pendingRolling = true
      case .stopped: pendingRolling = false
      case .none, .continued, .moved: continue
      }
    }
  }

  /// Begins a cycle.
  /// - Parameter isNew: whether another source was active before.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, isNew: Bool, _ playback: inout Playback) {
    input.setSampleRate(cycle.sampleRate ?? playback.score.pointee.sampleRate, from: cycle.clock)
    input.setAdvance(cycle, playback.score.pointee.clockIn.advance)
    if isNew {
      forget()
      lastOnset = TimelineFrame(.min / 2)
      playback.playhead.forgetBegun()
      playback.timeline.put(at: cycle.clock)
      place(at: cycle.clock, &playback)
      playback.setRolling(input.isRolling(at: cycle.clock), at: cycle.clock)
    } else if playback.timeline.isRolling {
      playback.timeline.put(at: cycle.clock)
      if playback.timeline.missedFrames(before: cycle.clock) != 0 {
        playback.skipGap(to: playback.timeline.nextFrame)
        if playback.playhead.nextFrame == .never { place(at: cycle.clock, &playback) }
      }
    } else {
      playback.timeline.put(playback.timeline.nextFrame, at: cycle.clock)
    }
    if !isNew, let pendingRolling {
      playback.timeline.put(at: cycle.clock)
      place(at: cycle.clock, &playback)
      playback.setRolling(pendingRolling, at: cycle.clock)
    }
    pendingRolling = nil
    watchForLoss(at: cycle.clock, &playback)
    input.open(cycle)
  }

  /// The clock frame of the next message; `never` if there is none.
  /// - Thread: audio
  var nextFrame: ClockFrame { @_noLocks get { input.nextFrame } }

  /// Handles the messages that are due at a clock frame.
  /// - Thread: audio
  @_noLocks
  mutating func perform(at clock: ClockFrame, _ playback: inout Playback) {
    while input.nextFrame <= clock {
      switch input.take() {
      case .none: continue
      case .began: begin(at: clock, &playback)
      case .continued: if playback.timeline.isRolling { followInput(at: clock, &playback) }
      case .stopped: stop(at: clock, &playback)
      case .moved: if !playback.timeline.isRolling { place(at: clock, &playback) }
      }
    }
    reportTempo(at: clock, playback)
  }

  /// Whether the clock rolls and can be joined.
  /// - Thread: audio
  @_noLocks
  func isRolling(at clock: ClockFrame) -> Bool { input.isRolling(at: clock) }

  /// Stops following the clock, or joins it again.
  /// - Thread: audio
  @_noLocks
  mutating func handle(_ action: Command.Action, at clock: ClockFrame, _ playback: inout Playback) {
    switch action {
    case .stop, .pause: stop(at: clock, &playback)
    case .start, .countIn:
      guard !playback.timeline.isRolling, input.isRolling(at: clock) else { return }
      playback.timeline.put(at: clock)
      place(at: clock, &playback)
      playback.setRolling(true, at: clock)
    case .locate, .jump, .cancelJump, .repeats, .stopAtBar, .endAtBar, .placeMachines: return
    }
  }

  /// Finds the clock's position in a score that has just taken over.
  /// - Thread: audio
  @_noLocks
  mutating func followAgain(at clock: ClockFrame, _ playback: inout Playback) {
    if playback.timeline.isRolling { followInput(at: clock, &playback) }
  }

  // MARK: Moving

  /// The music begins with this pulse.
  @_noLocks
  private mutating func begin(at clock: ClockFrame, _ playback: inout Playback) {
    playback.timeline.put(at: clock)
    // The pulse's own onset comes next, even if jitter and latency place the music slightly past it.
    follow(wholes: input.follower.pulseQuarters / 4, at: playback.timeline.nextFrame, .jumped, &playback)
    // A machine that loops sends its first pulse after this onset has already begun according to the clock before.
    let frame = playback.timeline.nextFrame
    if frame - lastOnset < input.shortest, playback.playhead.nextFrame <= frame {
      playback.playhead.advance()
    }
    playback.setRolling(true, at: clock)
    followInput(at: clock, &playback)
  }

  @_noLocks
  private mutating func followInput(at clock: ClockFrame, _ playback: inout Playback) {
    follow(wholes: input.wholes(at: clock), at: playback.timeline.frame(at: clock), .corrected, &playback)
  }

  @_noLocks
  private func stop(at clock: ClockFrame, _ playback: inout Playback) {
    guard playback.timeline.isRolling else { return }
    playback.timeline.put(at: clock)
    playback.setRolling(false, at: clock)
  }

  /// Moves to the clock's position at the timeline's next frame.
  @_noLocks
  private mutating func place(at clock: ClockFrame, _ playback: inout Playback) {
    follow(wholes: input.wholes(at: clock), at: playback.timeline.nextFrame, .jumped, &playback)
  }

  @_noLocks
  private mutating func follow(
    wholes: Double, at frame: TimelineFrame, _ motion: LeaderTracker.Motion, _ playback: inout Playback
  ) {
    if motion == .jumped, let begun = playback.playhead.begun { lastOnset = begun.frame }
    let framesPerWhole = 4 * input.follower.framesPerQuarter
    let place = playback.score.pointee.place(wholes: wholes)
    // An onset that a correction moves into the past still plays, if it is late by no more than three pulses plus the
    // latency compensation.
    let tolerance = motion == .jumped ? 0 : Int64(framesPerWhole / 32) + max(input.advance, 0)
    playback.playhead.follow(
      framesPerWhole: framesPerWhole, bar: place.bar, wholes: place.wholes, at: frame, tolerance: tolerance,
      motion: motion)
  }

  // MARK: Reporting

  @_noLocks
  private mutating func forget() { (isKnown, knownTempo) = (false, 0) }

  /// Reports the clock's tempo when it becomes known and when it changes.
  @_noLocks
  private mutating func reportTempo(at clock: ClockFrame, _ playback: borrowing Playback) {
    guard !input.follower.isLost(at: clock) else { return }
    isKnown = true
    guard input.follower.isLocked, isNews(input.tempo) else { return }
    knownTempo = input.tempo
    playback.report(.leader(Event.Leader(count: 0, unit: 4, notesPerMinute: input.tempo)))
  }

  @_noLocks
  private func isNews(_ tempo: Double) -> Bool {
    tempo - knownTempo >= Self.reportedStep || knownTempo - tempo >= Self.reportedStep
  }

  /// Detects that the pulses have stopped.
  @_noLocks
  private mutating func watchForLoss(at clock: ClockFrame, _ playback: inout Playback) {
    guard isKnown, input.follower.isLost(at: clock) else { return }
    forget()
    playback.report(.leaderLeft)
    guard playback.score.pointee.clockIn.stopsWhenLost else { return }
    input.stop(at: clock)
    stop(at: clock, &playback)
  }
}
