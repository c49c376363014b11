/// A MIDI message with the clock frame of its arrival, as sent from the callback to the conductor.
public struct MIDIEvent: BitwiseCopyable, Hashable, Sendable {
  /// The clock frame.
  public let frame: Int64
  public let message: MIDIMessage

  /// - Thread: any, audio
  @_noLocks
  public init(_ message: MIDIMessage, at frame: Int64) {
    self.frame = frame
    self.message = message
  }
}
