/// When to try again what fails: at once, after a tenth of a second, and then each time twice as long, up to five seconds.
struct Backoff {
  // In milliseconds.
  private static let shortest = 100
  private static let longest = 5_000

  private var delay = 0
  private var last: Int?

  /// How many tries in a row have come to nothing.
  private(set) var failures = 0

  /// Whether it is time for a try, which is then taken to be made.
  /// - Parameter now: milliseconds by a clock that goes on.
  mutating func takeTurn(now: Int) -> Bool {
    let elapsed = last.map { now - $0 } ?? .max
    guard elapsed >= delay else { return false }
    // What held for so long has not failed.
    let hasFailed = elapsed <= 2 * Backoff.longest
    failures = hasFailed ? failures + 1 : 0
    delay = hasFailed ? min(max(2 * delay, Backoff.shortest), Backoff.longest) : Backoff.shortest
    last = now
    return true
  }
}
