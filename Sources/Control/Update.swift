import Engine
import MusicTime

/// A new value for one setting.
public enum Setting: Equatable, Sendable {
  case tempo(Tempo)
  case meter(Meter)
  /// nil: the note that the meter counts.
  case beatUnit(BeatUnit?)
  case subdivision(Subdivision, Volume)
  /// nil: the default.
  case accents(AccentPattern?)
  /// nil: none.
  case groups(Groups?)
  case swing(Swing)
  /// Bars that sound and bars that are silent, in turn from bar 1 on.
  case gap(Gap)
  case volume(Fader, Volume)
  /// Silences the mix, whatever its volume.
  case mute(Bool)
  case sound(String)
  case quantise(Quantise)
  case role(TransportRole)
  case profile(TempoProfile)
  /// Has the tempo follow the pace until it is set by hand.
  case followPace(Bool)
  case cadence([CadenceConstant: Double])
  case clockInLoss(ClockLoss)
  case clockInOffset(ClockOffset)
  /// Whether the MIDI clock also ticks while nothing plays.
  case clockRunsWhileStopped(Bool)
  /// How much later than the click the MIDI clock comes.
  case clockOffset(ClockOffset)
  /// The MIDI note that a role is sent as, 0…127.
  case note(Role, Int)
  /// The MIDI channel of the notes, 1…16.
  case noteChannel(Int)
  /// Milliseconds that a note lasts, 1…5000.
  case noteLength(Int)
}

/// The one language that every source of change speaks.
public enum Update: Equatable, Sendable {
  case start
  case stop
  /// Stops where it plays, starts where it doesn't.
  case toggle
  case set(Setting)
  /// Moves the tempo by thousandths of a beat a minute; stops at the bounds.
  case nudge(thousandths: Int)
  /// A tap of the tempo, at the sender's own time in seconds where it says so.
  case tap(seconds: Double?)
  case locate(Position)
  /// Stops where it is; start goes on from there.
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
  /// All settings back to their defaults, but for what controllers have learned.
  case reset
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
    case .start, .stop, .toggle, .locate, .pause: true
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
