/// Fulfils wishes away from the conductor, one at a time; of those that come while one is being fulfilled only the last.
///
/// Whoever fulfils a wish says so through the update queue, whereupon the conductor calls `advance`.
struct LatestWish<Wish: Sendable> {
  private let queue: any WorkQueue
  private let fulfil: @Sendable (Wish) -> Void
  /// Whether a wish is being fulfilled.
  private(set) var isBusy = false
  /// The one that is next.
  var waiting: Wish?

  init(on queue: any WorkQueue, _ fulfil: @escaping @Sendable (Wish) -> Void) {
    (self.queue, self.fulfil) = (queue, fulfil)
  }

  /// Fulfils a wish, or has it wait for its turn.
  mutating func add(_ wish: Wish) {
    guard !isBusy else {
      waiting = wish
      return
    }
    isBusy = true
    queue.run { [fulfil] in fulfil(wish) }
  }

  /// A wish has been fulfilled: goes on with the next.
  mutating func advance() {
    isBusy = false
    if let next = waiting.take() { add(next) }
  }
}
