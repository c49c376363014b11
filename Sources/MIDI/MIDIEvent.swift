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

  /// Takes bytes as they arrived.
  /// - Returns: nil for what is no message of one to three bytes.
  /// - Thread: any, audio
  @_noLocks
  public init?(_ bytes: UnsafePointer<UInt8>, count: Int, at frame: Int64) {
    guard count >= 1, count <= 3,
      let message = MIDIMessage(bytes[0], count > 1 ? bytes[1] : 0, count > 2 ? bytes[2] : 0, length: count)
    else { return nil }
    self.init(message, at: frame)
  }
}
