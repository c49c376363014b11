import Engine
import MusicTime
import Realtime
import TimeCheck

/// A report to the conductor's observers. Large values are indirect; otherwise all code that copies a report would copy them
/// inline.
package enum Report: Sendable {
  /// A beat or subdivision; `time` is when it leaves the speakers.
  case beat(Event.Beat, time: Instant)
  /// A forecast beat: the beat if nothing changes. Reported half a second before `time`, or as soon as it is known.
  case predicted(Event.Beat, time: Instant)
  /// Revokes the forecast beats at this instant and later. Beats that still apply are forecast again.
  case withdrawn(from: Instant)
  /// Settings or state have changed.
  indirect case changed(from: Snapshot, to: Snapshot)
  /// The score has ended.
  case finished
  /// A warning that is not the answer to a request.
  case warning(String)
  /// A warning whose text may quote a file or contain a path: only the user's own terminal shows it. All other outlets show the
  /// outline; nil if the sender of the request has already received it.
  case guarded(String, outline: String?)
  /// The losses since the last such report, as text; `Snapshot.health` has the counts.
  case losses(String)
  /// News of the player's timing.
  indirect case timing(TimingNews)
  /// The audio server appeared or disappeared.
  case host(HostNews)
}
