import Engine
import MIDI

/// What the core is told, one thing at a time.
///
/// One turn of the runner gives these inputs in this order: refused messages, requests, `due`, controls, events, `settle`.
enum Input {
  /// The host is there: takes the role of the last run.
  case begin
  /// The role is answered: goes to where the first session begins.
  case beginSession
  /// The queue has turned away so many messages since the last turn.
  case refused(Int)
  case request(Request)
  /// Carries out everything whose time has come.
  case due
  /// A message of a MIDI controller, with its clock frame.
  case control(MIDIEvent)
  /// News from the engine.
  case event(Event)
  /// The end of a turn: publishes, looks after the host, and reports what has changed.
  case settle
  /// The answer to an effect.
  case answer(Answer)
  /// The last turn follows: holds no news back.
  case ending
  /// The end: saves what is not saved yet and leaves Link.
  case end
  /// After the end: reports the warnings that were held back.
  case lastWarnings

  /// The answer to an effect that is a question.
  enum Answer {
    /// To `leadIfFree`: whether Tactus leads the transport now.
    case lead(Bool)
    /// To `announceTimebase`: another client leads the transport.
    case isLedByAnother
    /// To `joinLink`: whether that worked.
    case link(Bool)
    /// To `publish`: an earlier update came back untaken, with scores for clips of this generation.
    case untaken(generation: Int)
  }
}
