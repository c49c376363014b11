/// The MIDI messages of one period, in the order of their frames.
///
/// Copies share the memory: `Cycle` and `Outputs` are copied in the process callback, which must not free. The owner of the
/// first copy frees it (`free`) when no callback runs any more.
public struct MIDIBuffer: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked`: after its creation only the audio thread uses it.

  /// The maximum number of messages per period, more than a MIDI cable carries in half a second.
  public static let capacity = 1_024

  /// A message and its place in the period.
  public struct Entry: BitwiseCopyable, Hashable, Sendable {
    /// Frames since the period's first.
    public let offset: Int
    public let message: MIDIMessage
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let number: UnsafeMutablePointer<Int>

  /// An empty buffer. The caller owns its memory.
  public init() {
    entries = .allocate(capacity: MIDIBuffer.capacity)
    number = .allocate(capacity: 1)
    number.initialize(to: 0)
  }

  /// Frees the memory. No copy may be used afterwards.
  /// - Thread: any but audio
  public func free() {
    entries.deallocate()
    number.deallocate()
  }

  /// - Thread: any, audio
  public var count: Int { @_noLocks get { number.pointee } }

  /// - Thread: any, audio
  public subscript(index: Int) -> Entry { @_noLocks get { entries[index] } }

  /// - Thread: any, audio
  @_noLocks
  public func clear() { number.pointee = 0 }

  /// Appends a message.
  /// - Parameter offset: frames since the period's first; not less than the previous message's.
  /// - Returns: false if the buffer is full.
  /// - Thread: any, audio
  @_noLocks
  public func append(_ message: MIDIMessage, at offset: Int) -> Bool {
    guard count < MIDIBuffer.capacity else { return false }
    (entries + count).initialize(to: Entry(offset: offset, message: message))
    number.pointee += 1
    return true
  }
}
