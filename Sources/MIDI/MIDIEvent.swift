/// A MIDI message with the clock frame of its arrival, as sent from the callback to the conductor.
package struct MIDIEvent: BitwiseCopyable, Hashable, Sendable {
  /// The clock frame.
  package let frame: Int64
  package let message: MIDIMessage

  /// - Thread: any, audio
  @_noLocks
  package init(_ message: MIDIMessage, at frame: Int64) {
    self.frame = frame
    self.message = message
  }
}
