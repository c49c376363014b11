import MusicTime

/// A MIDI message with the clock frame of its arrival, as sent from the callback to the conductor.
package struct MIDIEvent: BitwiseCopyable, Hashable, Sendable {
  /// The clock frame.
  package let frame: ClockFrame
  package let message: MIDIMessage

  /// - Thread: any, audio
  @_noLocks
  package init(_ message: MIDIMessage, at frame: ClockFrame) {
    self.frame = frame
    self.message = message
  }
}
