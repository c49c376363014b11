/// Playing when and where a MIDI clock does.
extension Kernel {
  /// Quarters a minute by which the clock's tempo must change to be told.
  private static var toldStep: Double { @_noLocks get { 0.1 } }

  /// Takes the clock's messages of a period. In the other roles they are only listened to, so that a clock that runs is
  /// known when it is to be followed.
  /// - Thread: audio
  @_noLocks
  mutating func openClock(_ cycle: Cycle) {
    clockIn.open(cycle, advance: playhead.score.pointee.clockIn.advance)
    guard timelineRole != .midiClock else { return }
    while clockIn.nextFrame != .max { _ = clockIn.hear() }
  }

  /// - Thread: audio
  @_noLocks
  mutating func runOnClock(_ cycle: Cycle, hasChangedRole: Bool) {
    let rate = playhead.score.pointee.sampleRate
    if rate != clockIn.sampleRate { clockIn.reset(sampleRate: rate) }
    if hasChangedRole {
      (clockIn.isKnown, clockIn.knownTempo) = (false, 0)
      (playhead.begun, clockIn.lastOnset) = (nil, .min / 2)
      expectedFrame = cycle.clock
      placeByClock(at: cycle.clock)
      setRolling(clockIn.isRolling(at: cycle.clock), at: cycle.clock)
    } else if isRolling {
      expectedFrame = cycle.clock
      if missedFrames(before: cycle.clock) != 0 { skipGap(to: cycle.clock) }
    }
    shift = expectedFrame - cycle.clock
    watchClock(at: cycle.clock)
  }

  /// Hears the messages that are due at a clock frame.
  /// - Thread: audio
  @_noLocks
  mutating func hearClock(at clock: Int64) {
    while clockIn.nextFrame <= clock {
      switch clockIn.hear() {
      case .none: continue
      case .began: beginByClock(at: clock)
      case .wentOn: if isRolling { goOnByClock(at: clock) }
      case .stopped: stopByClock(at: clock)
      case .moved: if !isRolling { placeByClock(at: expectedFrame) }
      }
    }
    tellClock(at: clock)
  }

  /// Leaves the clock to itself, or joins it again.
  /// - Thread: audio
  @_noLocks
  mutating func heed(_ action: Command.Action, at clock: Int64) {
    switch action {
    case .stop, .pause: stopByClock(at: clock)
    case .start:
      guard !isRolling, clockIn.isRolling(at: clock) else { return }
      (expectedFrame, shift) = (clock, 0)
      placeByClock(at: clock)
      setRolling(true, at: clock)
    case .locate, .jump, .hold: return
    }
  }

  /// The pulse has come with which the music begins.
  @_noLocks
  private mutating func beginByClock(at clock: Int64) {
    (expectedFrame, shift) = (clock, 0)
    // The pulse's own onset is the next, wherever the clock's jitter and the latencies have put the music by now.
    follow(wholes: clockIn.follower.pulseQuarters / 4, at: clock, .jumped)
    // A machine that goes round in a loop sends its pulse when the clock before it has had this onset begun already.
    if clock - clockIn.lastOnset < clockIn.shortest, playhead.nextFrame <= clock { playhead.advance() }
    setRolling(true, at: clock)
    goOnByClock(at: clock)
  }

  @_noLocks
  private mutating func goOnByClock(at clock: Int64) {
    follow(wholes: clockIn.wholes(at: clock), at: clock, .corrected)
  }

  @_noLocks
  private mutating func stopByClock(at clock: Int64) {
    guard isRolling else { return }
    expectedFrame = clock
    setRolling(false, at: clock)
  }

  /// Goes to where the clock is.
  /// - Parameter frame: of the timeline.
  @_noLocks
  private mutating func placeByClock(at frame: Int64) {
    follow(wholes: clockIn.wholes(at: frame), at: frame, .jumped)
  }

  @_noLocks
  private mutating func follow(wholes: Double, at frame: Int64, _ course: LeaderTracker.Course) {
    if course == .jumped, let begun = playhead.begun { clockIn.lastOnset = begun.frame }
    let framesPerWhole = 4 * clockIn.follower.framesPerQuarter
    let place = playhead.score.pointee.place(wholes: wholes)
    // What a correction has brought into the past is played on the spot, if that is no more than three pulses, and the
    // latencies with which the music has just begun.
    let tolerance = course == .jumped ? 0 : Int64(framesPerWhole / 32) + max(clockIn.advance, 0)
    playhead.follow(
      framesPerWhole: framesPerWhole, bar: place.bar, wholes: place.wholes, at: frame, tolerance: tolerance,
      course: course)
  }

  // MARK: Telling

  @_noLocks
  private func isNews(_ tempo: Double) -> Bool {
    tempo - clockIn.knownTempo >= Self.toldStep || clockIn.knownTempo - tempo >= Self.toldStep
  }

  /// Tells whether the clock can be joined, and its tempo when that is known.
  @_noLocks
  private mutating func tellClock(at clock: Int64) {
    channels.pointee.isClockRolling.store(clockIn.isRolling(at: clock), ordering: .relaxed)
    guard timelineRole == .midiClock, !clockIn.follower.isLost(at: clock) else { return }
    clockIn.isKnown = true
    guard clockIn.follower.isLocked, isNews(clockIn.tempo) else { return }
    clockIn.knownTempo = clockIn.tempo
    tell(.leader(Event.Leader(count: 0, unit: 4, notesPerMinute: clockIn.tempo)))
  }

  /// Notices that no pulses come any more.
  @_noLocks
  private mutating func watchClock(at clock: Int64) {
    guard clockIn.isKnown, clockIn.follower.isLost(at: clock) else { return }
    (clockIn.isKnown, clockIn.knownTempo) = (false, 0)
    tell(.leaderLeft)
    guard playhead.score.pointee.clockIn.stopsWhenLost else { return }
    _ = clockIn.follower.take(.stop, at: clock)
    stopByClock(at: clock)
  }
}
