import MIDI

/// A port's messages of one period, by clock frames.
struct MIDILine: BitwiseCopyable {
  private let buffer: MIDIBuffer
  /// The clock frame of the period's first sample.
  private let start: Int64

  @_noLocks
  init(_ buffer: MIDIBuffer, from start: Int64) {
    self.buffer = buffer
    self.start = start
  }

  /// Sends a message on a frame of the period; at its start what should have been sent before.
  /// - Returns: whether there was room.
  /// - Thread: audio
  @_noLocks
  func send(_ message: MIDIMessage, at clock: Int64) -> Bool {
    buffer.append(message, at: Int(max(clock - start, 0)))
  }
}
