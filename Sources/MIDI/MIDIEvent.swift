/// A MIDI message at a clock frame, as it crosses threads.
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
