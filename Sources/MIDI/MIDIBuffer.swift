/// The MIDI messages of one period, in the order of their frames. Copies share the memory, which is never freed: it is made
/// once for a port.
public struct MIDIBuffer: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked`: it is handed to the audio thread, which alone uses it from then on.

  /// The most messages in a period; more than a MIDI cable carries in half a second.
  public static let capacity = 1_024

  public struct Entry: BitwiseCopyable, Hashable, Sendable {
    /// Frames since the period's first.
    public let offset: Int
    public let message: MIDIMessage
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let number: UnsafeMutablePointer<Int>

  public init() {
    entries = .allocate(capacity: MIDIBuffer.capacity)
    number = .allocate(capacity: 1)
    number.initialize(to: 0)
  }

  /// - Thread: any, audio
  public var count: Int { @_noLocks get { number.pointee } }

  /// - Thread: any, audio
  public subscript(index: Int) -> Entry { @_noLocks get { entries[index] } }

  /// - Thread: any, audio
  @_noLocks
  public func clear() { number.pointee = 0 }

  /// Adds a message after the others.
  /// - Parameter offset: frames since the period's first; no less than the last message's.
  /// - Returns: whether there was room.
  /// - Thread: any, audio
  @_noLocks
  public func append(_ message: MIDIMessage, at offset: Int) -> Bool {
    guard count < MIDIBuffer.capacity else { return false }
    (entries + count).initialize(to: Entry(offset: offset, message: message))
    number.pointee += 1
    return true
  }
}
