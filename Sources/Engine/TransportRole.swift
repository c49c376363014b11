/// How the metronome stands to the JACK transport.
public enum TransportRole: String, BitwiseCopyable, CaseIterable, Sendable {
  /// Starts and stops by itself.
  case free
  /// Plays where the transport rolls, on the beats of whoever leads it.
  case follow
  /// Is the timebase leader: tells the others bar, beat and tick.
  case lead
}
