import Engine
import MusicTime
import TimeCheck

/// A change of the settings or the music, from any source.
package enum Update: Equatable, Sendable {
  case start
  /// Stops. A session goes back to the start of its song.
  case stop
  /// Starts if stopped, otherwise stops. A session pauses instead of stopping.
  case toggle
  /// Starts or stops as `toggle` does; no effect if it already plays or is already stopped.
  case play(Bool)
  /// Starts what waits: this song, the next one, or the section after one that lasts until the player goes on. It does nothing
  /// else: what plays is neither restarted nor cut short. A second press within half a second is ignored.
  case advance
  case set(Setting)
  /// Changes the tempo by thousandths of a beat per minute; stops at the bounds.
  case nudge(thousandths: Int)
  /// A tap of the tempo. `seconds` is the sender's own time; nil: the request's time.
  case tap(seconds: Double?)
  case locate(Position)
  /// Stops; the next start continues from there.
  case pause
  /// Pauses if it plays, otherwise starts. Unlike with `toggle`, the metronome also continues where it was.
  case playPause
  /// Plays from the beginning of the song, or from bar 1.
  case restart
  /// Fades the mix out and then stops. A start or a second `fade` cancels it. The volume setting does not change.
  case fade(milliseconds: Int)
  /// Stops at the next bar line; a session pauses there. A start cancels it.
  case stopAtBar
  /// Opens a session document.
  case open(path: String)
  /// Reads the open document again while the music continues.
  case reload
  /// Writes the nudge of the song that plays into its document.
  case keepNudge
  /// Goes to another section or song of the session.
  case go(SessionStep)
  /// Repeats the current section, or stops repeating it.
  case hold(Bool)
  /// Repeats bars of the session, or stops repeating them.
  case loop(BarLoopChange)
  /// Sets the session's speed in percent of its own tempos.
  case speed(percent: Int)
  /// Leads the transport unless another client does; follows if one does.
  case leadIfFree
  /// A measured speed of a runner, in metres per second.
  case pace(speed: Double)
  /// A speed of a runner that is set by hand, in metres per second.
  case paceTarget(speed: Double)
  /// One step of a runner; or, if `cadence` is not nil, steps per minute that another program has measured.
  case steps(cadence: Double?)
  /// Saves, recalls or arranges presets.
  case preset(PresetUpdate)
  /// Joins Ableton Link, or leaves it.
  case link(Bool)
  /// Measures how late an input hears the click. An empty name means the first input.
  case calibrate(String)
  /// Assigns the next note of an e-drum to a drum; nil cancels that.
  case learnDrum(Drum?)
  /// Adds or removes an OSC address that receives all changes.
  case feedback(FeedbackUpdate)
  /// Writes the settings to disk now.
  case save
  /// Writes the settings to disk now, unless a run with fresh settings must leave the file unchanged.
  case saveChanges
  /// Resets the settings, except bindings, learned notes, presets, connections, and what is open or listened to. Drops the
  /// scheduled requests.
  case reset
  /// Drops the scheduled requests of the sender, or of all senders.
  case clearSchedule(all: Bool)
  /// Binds the next control that moves to an action; nil cancels learning.
  case learn(MIDIAction?)
  /// Removes a target's bindings and stops learning it; nil for all targets.
  case unlearn(MIDITarget?)
  case bind(MIDIBinding)
  /// Removes one binding.
  case unbind(MIDIBinding)
  /// Adds the bindings of a ready-made map.
  case load(MIDIMap)

  /// Whether it starts or stops the music, now or soon. Such updates get through a full queue.
  var startsOrStops: Bool {
    switch self {
    case .start, .stop, .toggle, .play, .pause, .playPause, .restart, .advance, .fade, .stopAtBar: true
    default: false
    }
  }

  /// Whether it starts, stops or moves the music. In role `free` it then becomes a command to the engine.
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
  /// To the start of the section; to the section before if the current one began less than two seconds ago.
  case previous
  /// To the section with this label, name or number.
  case named(String)
  /// From 1.
  case section(Int)
  case song(Int)
  case nextSong
  case previousSong
}
