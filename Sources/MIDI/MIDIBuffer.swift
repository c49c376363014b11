/// The MIDI messages of one period, in the order of their frames.
///
/// Copies share the memory: `Cycle` and `Outputs` are copied in the process callback, which must not free. The owner of the
/// first copy, or a `MIDIBuffers`, frees it when no callback runs any more.
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

  fileprivate init(
    _ entries: UnsafeMutablePointer<Entry>, _ number: UnsafeMutablePointer<Int>
  ) {
    (self.entries, self.number) = (entries, number)
  }

  /// Frees the memory, unless `MIDIBuffers` owns it. No copy may be used afterwards.
  /// - Thread: any but audio
  public func free() {
    entries.deallocate()
    number.deallocate()
  }

  /// - Thread: any, audio
  public var count: Int { @_noLocks get { number.pointee } }

  /// - Thread: any, audio
  public subscript(index: Int) -> Entry { @_noLocks get { entries[index] } }

  /// The offset of the last message; 0 if there is none.
  /// - Thread: any, audio
  public var lastOffset: Int { @_noLocks get { count > 0 ? entries[count - 1].offset : 0 } }

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

/// The memory of several buffers. Their counts lie side by side, so that a period without messages touches few cache lines.
public struct MIDIBuffers: ~Copyable {
  private let entries: UnsafeMutablePointer<MIDIBuffer.Entry>
  private let numbers: UnsafeMutablePointer<Int>
  private let count: Int

  /// Empty buffers.
  public init(_ count: Int) {
    self.count = count
    entries = .allocate(capacity: count * MIDIBuffer.capacity)
    numbers = .allocate(capacity: count)
    numbers.initialize(repeating: 0, count: count)
  }

  deinit {
    entries.deallocate()
    numbers.deallocate()
  }

  /// A buffer, which is valid as long as this value.
  public subscript(index: Int) -> MIDIBuffer {
    precondition((0..<count).contains(index))
    return MIDIBuffer(entries + index * MIDIBuffer.capacity, numbers + index)
  }
}
