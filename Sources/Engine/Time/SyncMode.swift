/// The time source: the engine itself, the JACK transport, a MIDI clock, or Ableton Link.
package enum SyncMode: String, BitwiseCopyable, CaseIterable, Sendable {
  /// The engine's own clock: commands start and stop the music.
  case free
  /// The JACK transport, on the beats of another timebase leader.
  case follow
  /// The JACK transport, with Tactus as the timebase leader, which gives bar, beat and tick to other clients.
  case lead
  /// A received MIDI clock.
  case midiClock = "midi-clock"
  /// An Ableton Link session.
  case link

  /// Whether the JACK transport starts, stops and moves the music.
  package var isOnTransport: Bool { self == .follow || self == .lead }
  /// Whether a timebase leader or a MIDI clock keeps the tempo.
  package var isLed: Bool { self == .follow || self == .midiClock }
}
