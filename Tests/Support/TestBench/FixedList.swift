import Synchronization

/// An append-only list of fixed capacity; one thread appends while another reads.
///
/// `@unchecked Sendable`: an item is written once, before the count that makes it visible.
final class FixedList<Item: BitwiseCopyable & Sendable>: @unchecked Sendable {
  let capacity: Int
  private let memory: UnsafeMutablePointer<Item>
  private let count = Atomic<Int>(0)
  private let refused = Atomic<Bool>(false)

  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(capacity: max(capacity, 1))
  }

  deinit {
    memory.deallocate()
  }

  func put(_ item: Item) {
    let index = count.load(ordering: .relaxed)
    guard index < capacity else {
      if capacity > 0 { refused.store(true, ordering: .relaxed) }
      return
    }
    (memory + index).initialize(to: item)
    count.store(index + 1, ordering: .releasing)
  }

  var items: [Item] {
    Array(UnsafeBufferPointer(start: memory, count: count.load(ordering: .acquiring)))
  }

  /// Whether an item was refused for lack of room.
  var isFull: Bool { refused.load(ordering: .relaxed) }
}
