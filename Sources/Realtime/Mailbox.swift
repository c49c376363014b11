import Synchronization

/// Passes the latest value from one thread to another. A new value replaces one that was not taken.
///
/// The value is a pointer. The mailbox owns nothing.
public struct Mailbox<Pointee>: ~Copyable, @unchecked Sendable {
  // `@unchecked`: an atomic exchange hands the pointer over, so that only one side has it at a time.
  @usableFromInline let slot = Atomic<UnsafePointer<Pointee>?>(nil)

  public init() {}

  /// Puts a value in. Returns the previous value if it was not taken; the caller owns it again.
  /// - Thread: control
  @inlinable
  public func put(_ value: UnsafePointer<Pointee>) -> UnsafePointer<Pointee>? {
    slot.exchange(value, ordering: .acquiringAndReleasing)
  }

  /// Whether nothing waits to be taken.
  /// - Thread: audio
  public var isEmpty: Bool { @inlinable get { slot.load(ordering: .relaxed) == nil } }

  /// Takes the newest value, or returns nil if there is none.
  /// - Thread: audio
  @inlinable
  public func take() -> UnsafePointer<Pointee>? {
    // Load first: an exchange locks the bus in every cycle, and usually the mailbox is empty.
    guard slot.load(ordering: .relaxed) != nil else { return nil }
    return slot.exchange(nil, ordering: .acquiring)
  }
}
