/// Who says where the music is, and when it plays: how the metronome stands to the JACK transport and to a MIDI clock.
public enum TransportRole: String, BitwiseCopyable, CaseIterable, Sendable {
  /// Starts and stops by itself.
  case free
  /// Plays where the transport rolls, on the beats of whoever leads it.
  case follow
  /// Is the timebase leader: tells the others bar, beat and tick.
  case lead
  /// Plays when and where a MIDI clock does.
  case midiClock = "midi-clock"
  /// Plays with an Ableton Link session rather than with the transport.
  case link

  /// Whether it is the JACK transport that starts, stops and moves the music.
  public var isOnTransport: Bool { self == .follow || self == .lead }
  /// Whether somebody else keeps the tempo.
  public var isLed: Bool { self == .follow || self == .midiClock }
}
