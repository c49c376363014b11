import MusicTime

/// A request from the conductor to a running engine.
package struct Command: BitwiseCopyable, Sendable {
  /// The actions that the engine can perform.
  package enum Action: BitwiseCopyable, Sendable {
    case start
    /// Starts after the score's pre-roll, if it has one. In `free` only; elsewhere as `start`.
    case countIn
    case stop
    /// Goes to a position, playing or stopped. In `free` only.
    case locate(Position)
    /// Stops; `start` continues from there.
    case pause
    /// Stops, or pauses, on the next bar line, before anything sounds there. In `free` only. `start`, `stop`, `pause` and the
    /// score's end cancel it.
    case stopAtBar(pauses: Bool)
    /// Ends the score on the next bar line, as if its last section ended there. In `free` only. It is
    /// cancelled as `stopAtBar` is.
    case endAtBar
    /// Goes to a bar of the score, at once or on the next beat or bar line. In `free` only.
    case jump(BarRange.Bar, Quantise)
    /// Cancels a jump that waits for its line.
    case cancelJump
    /// Repeats the current section, or bars, when they end. In `free` only.
    case repeats(Repetition)
    /// Sends the machines that follow the MIDI clock to the music's position, unless they have been started since they were
    /// connected, at this clock frame.
    case placeMachines(connectedAt: ClockFrame)
  }

  /// The action to perform.
  package let action: Action
  /// The clock frame at which to perform it; nil for immediately.
  package let frame: ClockFrame?
  /// For a command without a frame: the frame of the last scheduled command that it must follow. If missed cycles have made
  /// commands late, it is performed before those with later frames than this one.
  package let predecessor: ClockFrame
  /// For a command that refers to the score's sections: the number of successors that had begun when it was given. If another one has
  /// begun since, the command is of the music before it, and is dropped. nil: it is always performed.
  let successions: Int?

  package init(
    _ action: Action, at frame: ClockFrame? = nil, after predecessor: ClockFrame = .never,
    successions: Int? = nil
  ) {
    self.action = action
    self.frame = frame
    self.predecessor = predecessor
    self.successions = action.refersToSections ? successions : nil
  }
}

extension Command.Action {
  fileprivate var refersToSections: Bool {
    switch self {
    case .locate, .jump, .cancelJump, .repeats, .stopAtBar, .endAtBar: true
    case .start, .countIn, .stop, .pause, .placeMachines: false
    }
  }
}
