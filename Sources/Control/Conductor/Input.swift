import Engine
import MIDI

/// An input of the core.
///
/// One turn of the `CoreRunner` gives these inputs in this order: refused messages, requests, `due`, controls, events, `settle`.
enum Input {
  /// The host is available: takes the role of the last run.
  case begin
  /// The role has been answered: moves to the first session's place.
  case beginSession
  /// The number of requests that the queue has refused since the last turn.
  case refused(Int)
  case request(Request)
  /// Carries out everything whose time has come.
  case due
  /// A message of a MIDI controller, with its clock frame.
  case control(MIDIEvent)
  /// An event of the engine.
  case event(Event)
  /// The end of a turn: publishes, looks after the host, and reports changes.
  case settle
  /// The answer to an effect.
  case answer(Answer)
  /// The last turn follows: losses are reported without delay.
  case ending
  /// The end: saves what is not saved yet, and leaves Link.
  case end
  /// After the end: reports the warnings that were held back.
  case lastWarnings

  /// The answer to an effect that asks a question.
  enum Answer {
    /// Answers `leadIfFree`: whether Tactus leads the transport now.
    case lead(Bool)
    /// Answers `announceTimebase`: another client leads the transport.
    case isLedByAnother
    /// Answers `joinLink`: whether the session was joined.
    case link(Bool)
    /// Answers `publish`: the engine had not taken an earlier update, whose scores were made for the clips of this generation.
    case untaken(generation: Int)
  }
}
