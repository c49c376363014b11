import Synchronization

/// A place for the latest value on its way from one thread to another: what is put in replaces what was not yet taken.
///
/// The value is a pointer; the mailbox owns nothing.
public struct Mailbox<Pointee>: ~Copyable, @unchecked Sendable {
  // `@unchecked`: the pointer is handed over by an atomic exchange, so that one side has it at a time.
  @usableFromInline let slot = Atomic<UnsafePointer<Pointee>?>(nil)

  public init() {}

  /// Puts a value in and returns the one that nobody took, which is the caller's again.
  /// - Thread: control
  @inlinable
  public func put(_ value: UnsafePointer<Pointee>) -> UnsafePointer<Pointee>? {
    slot.exchange(value, ordering: .acquiringAndReleasing)
  }

  /// Takes the newest value out, or nil where there is none.
  /// - Thread: audio
  @inlinable
  public func take() -> UnsafePointer<Pointee>? {
    // A plain load first: an exchange costs a bus lock in each cycle, and there is seldom anything to take.
    guard slot.load(ordering: .relaxed) != nil else { return nil }
    return slot.exchange(nil, ordering: .acquiring)
  }
}
