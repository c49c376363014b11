import Synchronization

/// An append-only list of fixed capacity that one thread fills while another reads.
///
/// `@unchecked Sendable`: an item is written before the count that shows it, and never again.
final class Shelf<Item: BitwiseCopyable & Sendable>: @unchecked Sendable {
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

  /// Whether an item found no place.
  var isFull: Bool { refused.load(ordering: .relaxed) }
}
