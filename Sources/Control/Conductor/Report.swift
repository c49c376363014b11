import Engine
import MusicTime
import Realtime
import TimeCheck

/// What the conductor tells its observers. Large values are indirect, as the code that copies a report would have theirs in it.
package enum Report: Sendable {
  /// A beat or subdivision; `time` is when it leaves the speakers.
  case beat(Event.Beat, time: Instant)
  /// A beat as it will be unless something changes, half a second ahead of `time`, or as soon as it is known.
  case foretold(Event.Beat, time: Instant)
  /// The beats that were foretold for this instant and later will not be as they were. Those that will are foretold again.
  case revoked(from: Instant)
  /// Settings or state have changed.
  indirect case changed(from: Snapshot, to: Snapshot)
  /// The score has ended.
  case finished
  /// A warning that answers no request.
  case warning(String)
  /// A warning whose text may quote a file or name a path: it is for the user's own terminal. Everybody else gets the outline; nil
  /// if whoever asked has been told.
  case guarded(String, outline: String?)
  /// What was lost since the last such report, as text; `Snapshot.health` has the counts.
  case losses(String)
  /// What was heard of the player.
  indirect case timing(TimingNews)
  /// The audio server appeared or disappeared.
  case host(HostNews)
}
