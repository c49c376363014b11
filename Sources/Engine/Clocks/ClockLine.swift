import MusicTime

/// The output for the steps of a clock.
enum ClockLine: BitwiseCopyable {
  case midi(MIDILine)
  case pulses(PulseLine)

  /// Stops the machines.
  /// - Thread: audio
  @_noLocks
  func stop(at clock: ClockFrame) {
    switch self {
    case .midi(let line): _ = line.send(.stop, at: clock)
    // `run` stays high, as the music continues at another position.
    case .pulses: break
    }
  }

  /// Sends the machines the step with which they will start or continue.
  /// - Thread: audio
  @_noLocks
  func locate(to step: Int64, at clock: ClockFrame) {
    switch self {
    case .midi(let line): line.locate(to: step, at: clock)
    case .pulses: break
    }
  }

  /// Starts the machines with a step; 0 is the music's first.
  /// - Returns: false if there is no room.
  /// - Thread: audio
  @_noLocks
  func start(with step: Int64, at clock: ClockFrame) -> Bool {
    switch self {
    case .midi(let line): line.send(step == 0 ? .start : .continue, at: clock)
    case .pulses(let line): line.start(with: step, at: clock)
    }
  }

  /// Sends a step.
  /// - Returns: false if there is no room.
  /// - Thread: audio
  @_noLocks
  func send(_ step: ClockStep, _ playhead: borrowing Playhead, at clock: ClockFrame) -> Bool {
    switch self {
    case .midi(let line): line.send(.clock, at: clock)
    case .pulses(let line): line.send(step, playhead, at: clock)
    }
  }
}

/// A step of a clock.
struct ClockStep: BitwiseCopyable {
  /// Its number in the machines' count.
  let number: Int64
  /// Its number in the score's count.
  let inScore: Int64
  /// The part of the timeline in which it lies.
  let segment: Playhead.Segment
}
