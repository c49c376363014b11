import Engine
import MusicTime

/// The one language that every source of change speaks.
public enum Update: Equatable, Sendable {
  case start
  /// Stops. A session goes back to the start of its song.
  case stop
  /// Plays if nothing does, else stops. A session pauses: it goes on from there.
  case toggle
  /// Plays or doesn't, as a toggle leaves it; does nothing where it does so already.
  case play(Bool)
  case set(Setting)
  /// Moves the tempo by thousandths of a beat a minute; stops at the bounds.
  case nudge(thousandths: Int)
  /// A tap of the tempo, at the sender's own time in seconds where it says so.
  case tap(seconds: Double?)
  case locate(Position)
  /// Stops where it is; a start goes on from there.
  case pause
  /// Opens a session document.
  case open(path: String)
  /// Goes to a section or song of the session.
  case go(SessionStep)
  /// Plays the section that plays again and again, or lets it go on.
  case hold(Bool)
  /// Plays the session faster or slower, in percent of its own tempos.
  case speed(percent: Int)
  /// Leads the transport unless another client does; then follows.
  case leadIfFree
  /// A reading of a runner's speed, in metres a second.
  case pace(speed: Double)
  /// A runner's step, or steps a minute as somebody else has counted them.
  case steps(cadence: Double?)
  /// Joins Ableton Link, or leaves it.
  case link(Bool)
  /// Writes the settings to disk now.
  case save
  /// Writes the settings to disk now, unless a fresh run must leave alone what is there.
  case saveChanges
  /// All settings back to their defaults, but for what controllers have learned. What waits for its time is forgotten.
  case reset
  /// Forgets the requests of their owner that wait for their time, or everybody's.
  case clearSchedule(all: Bool)
  /// Has the next control that is moved do this; nil: does not wait for one any more.
  case learn(MIDIAction?)
  /// Takes a target from its controls, or from the control that is waited for; nil: all targets.
  case unlearn(MIDITarget?)
  case bind(MIDIBinding)
  /// Adds ready-made bindings.
  case load(MIDIMap)

  /// Whether it starts, stops or moves the music, which in `free` is a command to the engine.
  var isMovement: Bool {
    switch self {
    case .start, .stop, .toggle, .play, .locate, .pause: true
    default: false
    }
  }
}

/// A way through a session.
public enum SessionStep: Equatable, Sendable {
  case next
  /// To the start of the section, or to the one before where it began less than two seconds ago.
  case previous
  case label(String)
  /// From 1.
  case section(Int)
  case song(Int)
  case nextSong
  case previousSong
}
