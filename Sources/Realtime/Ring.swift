import Synchronization

/// A bounded lock-free queue with one producer thread and one consumer thread.
///
/// **Thread tags.** A declaration that may run in the process callback says `- Thread: audio`. Such code takes no lock,
/// allocates nothing, counts no references and makes no system call. The compiler checks this through `@_noLocks` on
/// the concrete functions that call it. It can't check generic functions, so these are `@inlinable` instead.
/// docs/design.md names the other tags (Who calls an observer).
public struct Ring<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // `@unchecked`: the producer writes a slot before it advances `written`, the consumer reads it before it advances
  // `read`, and each index has one writer.
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  @usableFromInline let written = Atomic<Int>(0)
  @usableFromInline let read = Atomic<Int>(0)

  /// - Parameter capacity: the number of elements; a power of two.
  public init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two")
    slots = .allocate(capacity: capacity)
    mask = capacity - 1
  }

  deinit { slots.deallocate() }

  /// Adds an element. Returns false if the ring is full.
  /// - Thread: the producer's, audio
  @inlinable
  public func push(_ element: Element) -> Bool {
    let next = written.load(ordering: .relaxed)
    guard next &- read.load(ordering: .acquiring) <= mask else { return false }
    (slots + (next & mask)).initialize(to: element)
    written.store(next &+ 1, ordering: .releasing)
    return true
  }

  /// Takes the oldest element, or returns nil if the ring is empty.
  /// - Thread: the consumer's, audio
  @inlinable
  public func pop() -> Element? {
    let next = read.load(ordering: .relaxed)
    guard next != written.load(ordering: .acquiring) else { return nil }
    let element = slots[next & mask]
    read.store(next &+ 1, ordering: .releasing)
    return element
  }

  /// Whether a pop would return nil.
  /// - Thread: the consumer's, audio
  @inlinable
  public var isEmpty: Bool { read.load(ordering: .relaxed) == written.load(ordering: .acquiring) }

  /// Whether a push would succeed.
  /// - Thread: the producer's, audio
  @inlinable
  public var hasRoom: Bool {
    written.load(ordering: .relaxed) &- read.load(ordering: .acquiring) <= mask
  }
}
