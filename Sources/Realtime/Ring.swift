import Synchronization

/// A bounded queue from one thread to one other that neither locks nor waits.
///
/// **Thread tags.** A declaration that may run in the process callback says `- Thread: audio`; such code takes no lock,
/// allocates nothing, retains nothing and makes no system call, which the compiler checks through `@_noLocks` on
/// the concrete functions that call it (it can't see through generic ones, so these are `@inlinable` instead).
/// `control` is the conductor's thread, `osc` the OSC server's, `jack` JACK's notification thread, `any` all of them.
public struct Ring<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // `@unchecked`: a slot is written by the producer before `written` moves past it and read by the consumer before
  // `read` does, and each index has one writer.
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  @usableFromInline let written = Atomic<Int>(0)
  @usableFromInline let read = Atomic<Int>(0)

  /// - Parameter capacity: elements that fit; a power of two.
  public init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two")
    slots = .allocate(capacity: capacity)
    mask = capacity - 1
  }

  deinit { slots.deallocate() }

  /// Adds an element, or returns false where the ring is full.
  /// - Thread: the producer's alone; audio
  @inlinable
  public func push(_ element: Element) -> Bool {
    let next = written.load(ordering: .relaxed)
    guard next &- read.load(ordering: .acquiring) <= mask else { return false }
    (slots + (next & mask)).initialize(to: element)
    written.store(next &+ 1, ordering: .releasing)
    return true
  }

  /// Takes the oldest element, or nil where there is none.
  /// - Thread: the consumer's alone; audio
  @inlinable
  public func pop() -> Element? {
    let next = read.load(ordering: .relaxed)
    guard next != written.load(ordering: .acquiring) else { return nil }
    let element = slots[next & mask]
    read.store(next &+ 1, ordering: .releasing)
    return element
  }

  /// Whether a push would succeed.
  /// - Thread: the producer's alone; audio
  @inlinable
  public var hasRoom: Bool {
    written.load(ordering: .relaxed) &- read.load(ordering: .acquiring) <= mask
  }
}
