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
  /// Something went wrong, in words that may quote a file or say what lies where: they are for the user's own terminal.
  /// Everybody else is told the outline; nil if those who are to know have been told.
  case guarded(String, outline: String?)
  /// What was lost since the last such report, for people; a snapshot's health has the counts.
  case losses(String)
  /// The audio server went or came.
  case host(HostNews)
}
