import Engine

/// What the conductor asks of a mode. Code that depends on the mode asks one of these questions instead of comparing modes.
extension SyncMode {
  /// Whether commands alone start, stop and move the music. What is asked for then holds at once and can have a frame, and a
  /// session can pause, repeat a section and stop by itself.
  var obeysCommands: Bool { self == .free }
  /// Whether Tactus starts and stops with an Ableton Link session.
  var isLinked: Bool { self == .link }
  /// Whether the music goes by a received MIDI clock, which cannot be moved and does not wait.
  var followsMIDIClock: Bool { self == .midiClock }
  /// Whether the music goes by its own time: nothing from outside holds it back.
  var goesByOwnTime: Bool { self == .free || self == .link }
  /// Whether the engine alone knows if it plays: a transport or a MIDI clock starts and stops it.
  var isStartedFromOutside: Bool { isOnTransport || self == .midiClock }
}
