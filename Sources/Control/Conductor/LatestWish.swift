/// Wishes that are fulfilled away from the conductor, one at a time; of those that come while one is being fulfilled only the
/// last counts.
struct LatestWish<Wish> {
  /// Whether a wish is being fulfilled.
  private(set) var isBusy = false
  /// The one that is next.
  private(set) var waiting: Wish?

  /// Adds a wish.
  /// - Returns: the wish, if it is to be fulfilled now.
  mutating func add(_ wish: Wish) -> Wish? {
    guard !isBusy else {
      waiting = wish
      return nil
    }
    isBusy = true
    return wish
  }

  /// Changes the wish that waits, if there is one.
  /// - Returns: whether there is one.
  mutating func changeWaiting(_ change: (inout Wish) -> Void) -> Bool {
    guard waiting != nil else { return false }
    change(&waiting!)
    return true
  }

  mutating func dropWaiting() { waiting = nil }

  /// A wish has been fulfilled.
  /// - Returns: the wish that is to be fulfilled next, if any.
  mutating func advance() -> Wish? {
    isBusy = false
    return waiting.take().flatMap { add($0) }
  }
}
