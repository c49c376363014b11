import Timecode

/// The messages of MIDI timecode of one period, in the order of their frames.
///
/// Copies share the memory, as copies of a `MIDIBuffer` do.
package struct MTCBuffer: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked`: after its creation only the audio thread uses it.

  /// The maximum number of messages per period: two seconds of them.
  private static var capacity: Int { @_noLocks get { 256 } }

  /// A message and its place in the period.
  package struct Entry: BitwiseCopyable, Hashable, Sendable {
    /// Frames since the period's first.
    package let offset: Int
    package let message: MTCMessage
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let number: UnsafeMutablePointer<Int>

  /// An empty buffer. The caller owns its memory.
  package init() {
    entries = .allocate(capacity: MTCBuffer.capacity)
    number = .allocate(capacity: 1)
    number.initialize(to: 0)
  }

  /// Frees the memory. No copy may be used afterwards.
  /// - Thread: any but audio
  package func free() {
    entries.deallocate()
    number.deallocate()
  }

  /// - Thread: any, audio
  package var count: Int { @_noLocks get { number.pointee } }

  /// - Thread: any, audio
  package subscript(index: Int) -> Entry { @_noLocks get { entries[index] } }

  /// - Thread: any, audio
  @_noLocks
  func clear() { number.pointee = 0 }

  /// Appends a message. If the buffer is full, it is dropped, and readers continue with the next one.
  /// - Thread: audio
  @_noLocks
  func append(_ message: MTCMessage, at offset: Int) {
    guard count < MTCBuffer.capacity else { return }
    (entries + count).initialize(to: Entry(offset: offset, message: message))
    number.pointee += 1
  }
}
