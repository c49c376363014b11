import Engine

/// The properties of a mode that matter to the conductor. Code that depends on the mode uses these properties instead of
/// comparing modes.
extension SyncMode {
  /// Whether only commands start, stop and move the music. Then requests take effect at once or at a frame, and a session can
  /// pause, repeat a section and stop by itself.
  var obeysCommands: Bool { self == .free }
  /// Whether Tactus starts and stops with an Ableton Link session.
  var isLinked: Bool { self == .link }
  /// Whether the music follows a received MIDI clock, which can't be moved and does not wait.
  var followsMIDIClock: Bool { self == .midiClock }
  /// Whether the music keeps its own time, so that no transport or MIDI clock holds it back.
  var goesByOwnTime: Bool { self == .free || self == .link }
  /// Whether a transport or a MIDI clock starts and stops the engine, so that only the engine knows whether it plays.
  var isStartedFromOutside: Bool { isOnTransport || self == .midiClock }
}
