import Engine
import MusicTime
import TimeCheck

/// A change, from any source.
package enum Update: Equatable, Sendable {
  case start
  /// Stops. A session goes back to the start of its song.
  case stop
  /// Starts if stopped, otherwise stops. A session pauses instead of stopping.
  case toggle
  /// Starts or stops as `toggle` does; does nothing if it already plays or stands.
  case play(Bool)
  /// Starts what waits: this song, the next one, or the next section of one that lasts until somebody goes on. It does nothing
  /// else: what plays is neither started again nor cut short, and a second press within half a second does not count.
  case advance
  case set(Setting)
  /// Moves the tempo by thousandths of a beat a minute; stops at the bounds.
  case nudge(thousandths: Int)
  /// A tap of the tempo; `seconds` is the sender's own time, if it gives one.
  case tap(seconds: Double?)
  case locate(Position)
  /// Stops; a start continues from there.
  case pause
  /// Pauses if it plays, otherwise starts: as `toggle`, but the metronome too goes on where it was.
  case playPause
  /// Plays from the beginning of the song, or from bar 1.
  case restart
  /// Fades the mix out and then stops. A start or a second one cancels it. The volume that is set stays.
  case fade(milliseconds: Int)
  /// Stops on the next bar line; a session pauses there. A start cancels it.
  case stopAtBar
  /// Opens a session document.
  case open(path: String)
  /// Reads the open document again; what plays goes on.
  case reload
  /// Writes the tempo to which the song that plays was nudged into its document.
  case keepNudge
  /// Goes to a section or song of the session.
  case go(SessionStep)
  /// Repeats the current section, or lets the session continue.
  case hold(Bool)
  /// Repeats bars of the session, or lets it continue.
  case loop(BarLoopWish)
  /// Plays the session faster or slower, in percent of its own tempos.
  case speed(percent: Int)
  /// Leads the transport unless another client does; then follows.
  case leadIfFree
  /// A reading of a runner's speed, in metres per second.
  case pace(speed: Double)
  /// A runner's speed as it is set by hand, in metres per second.
  case paceTarget(speed: Double)
  /// A runner's step, or steps per minute as another program has counted them.
  case steps(cadence: Double?)
  /// Saves, recalls or arranges presets.
  case preset(PresetUpdate)
  /// Joins Ableton Link, or leaves it.
  case link(Bool)
  /// Measures how late an input hears the click; empty for the first input.
  case calibrate(String)
  /// Has the next note of an e-drum be a drum; nil for none.
  case learnDrum(Drum?)
  /// Adds or removes an OSC address that is told of everything.
  case feedback(FeedbackUpdate)
  /// Writes the settings to disk now.
  case save
  /// Writes the settings to disk now, unless a fresh run must leave the file alone.
  case saveChanges
  /// Resets all settings except what controllers have learned, and drops scheduled requests.
  case reset
  /// Drops the scheduled requests of the sender, or of everybody.
  case clearSchedule(all: Bool)
  /// Binds the next control that moves to an action; nil cancels that.
  case learn(MIDIAction?)
  /// Removes a target from its controls and from learning; nil for all targets.
  case unlearn(MIDITarget?)
  case bind(MIDIBinding)
  /// Removes one binding.
  case unbind(MIDIBinding)
  /// Adds ready-made bindings.
  case load(MIDIMap)

  /// Whether it starts, stops or locates. In `free` that is a command to the engine.
  var isMovement: Bool {
    switch self {
    case .start, .stop, .toggle, .play, .playPause, .restart, .locate, .pause, .advance: true
    default: false
    }
  }
}

/// A step to another place in a session.
package enum SessionStep: Equatable, Sendable {
  case next
  /// To the start of the section; to the section before if this one began less than two seconds ago.
  case previous
  case label(String)
  /// From 1.
  case section(Int)
  case song(Int)
  case nextSong
  case previousSong
}
