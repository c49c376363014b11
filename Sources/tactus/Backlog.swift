import Synchronization

/// The number of queued lines. It is limited, because a reader may stop reading.
struct Backlog: ~Copyable, Sendable {
  private let limit: Int
  private let waiting = Atomic<Int>(0)
  private let lost = Atomic<Int>(0)

  /// - Parameter limit: the maximum number of queued lines.
  init(limit: Int) { self.limit = limit }

  /// Whether a line may be queued; otherwise counts it as lost.
  /// - Thread: any
  func admits() -> Bool {
    guard waiting.load(ordering: .relaxed) < limit else {
      lost.add(1, ordering: .relaxed)
      return false
    }
    waiting.add(1, ordering: .relaxed)
    return true
  }

  /// Notes that a queued line has been written.
  /// - Returns: the lines that were lost, once, when half of the room is free again.
  /// - Thread: any
  func finish() -> Int {
    let rest = waiting.subtract(1, ordering: .relaxed).newValue
    return rest <= limit / 2 ? lost.exchange(0, ordering: .relaxed) : 0
  }
}
