/// Requests for work outside the conductor, carried out one at a time. While one is carried out, only the latest new one is
/// kept.
struct LatestWish<Wish> {
  /// Whether a wish is being carried out.
  private(set) var isBusy = false
  /// The next wish; nil if none waits.
  private(set) var waiting: Wish?

  /// Adds a wish.
  /// - Returns: the wish if it is to be carried out now; nil if it waits.
  mutating func add(_ wish: Wish) -> Wish? {
    guard !isBusy else {
      waiting = wish
      return nil
    }
    isBusy = true
    return wish
  }

  /// Changes the waiting wish, if any.
  /// - Returns: whether a wish was waiting.
  mutating func changeWaiting(_ change: (inout Wish) -> Void) -> Bool {
    guard waiting != nil else { return false }
    change(&waiting!)
    return true
  }

  mutating func dropWaiting() { waiting = nil }

  /// Notes that a wish has been carried out.
  /// - Returns: the wish to carry out next; nil if none waits.
  mutating func advance() -> Wish? {
    isBusy = false
    return waiting.take().flatMap { add($0) }
  }
}
