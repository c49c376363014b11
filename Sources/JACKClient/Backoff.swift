/// Delays between attempts: none, then 0.1 s, doubling up to 5 s.
struct Backoff {
  // In milliseconds.
  private static let shortest = 100
  private static let longest = 5_000

  private var delay = 0
  private var last: Int?

  /// The number of consecutive failures.
  private(set) var failures = 0

  /// Whether an attempt is due. If it is, the attempt counts as made.
  /// - Parameter now: milliseconds of a monotonic clock.
  mutating func takeTurn(now: Int) -> Bool {
    let elapsed = last.map { now - $0 } ?? .max
    guard elapsed >= delay else { return false }
    // If the last attempt was this long ago, it succeeded for a while.
    let hasFailed = elapsed <= 2 * Backoff.longest
    failures = hasFailed ? failures + 1 : 0
    delay = hasFailed ? min(max(2 * delay, Backoff.shortest), Backoff.longest) : Backoff.shortest
    last = now
    return true
  }
}
