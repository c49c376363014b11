import Engine
import MusicTime

/// What the conductor tells its observers.
public enum Report: Sendable {
  /// A beat or a part of one; `time` is when it leaves the speakers, by `Monotonic`.
  case beat(Event.Beat, time: UInt64)
  /// Settings or state are other than they were.
  case changed(from: Snapshot, to: Snapshot)
  /// The score came to its end.
  case finished
  /// Something went wrong that nobody asked for in particular.
  case warning(String)
  /// What was lost since the last such report, for people; a snapshot's health has the counts.
  case losses(String)
  /// The audio server went or came.
  case host(HostNews)
}
