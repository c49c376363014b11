import Realtime

/// A credit that is spent, and refills at a constant rate up to a capacity (a token bucket).
package struct TokenBucket {
  let capacity: Double
  let perSecond: Double
  private var credit: Double
  private(set) var time: Instant

  /// - Parameters:
  ///   - perSecond: how much the credit grows per second.
  ///   - credit: the credit at `now`; nil for `capacity`.
  ///   - now: by the same clock as all later calls.
  package init(capacity: Double, perSecond: Double, credit: Double? = nil, now: Instant) {
    (self.capacity, self.perSecond) = (capacity, perSecond)
    (self.credit, time) = (credit ?? capacity, now)
  }

  /// The credit that may be spent; negative after `overdraw` or `charge`.
  mutating func available(now: Instant) -> Double {
    // A clock that goes back adds nothing.
    let passed = now.nanoseconds - min(time, now).nanoseconds
    credit = min(capacity, credit + Double(passed) * perSecond / 1e9)
    time = max(time, now)
    return credit
  }

  mutating func earn(_ amount: Double, now: Instant) { credit = min(capacity, available(now: now) + amount) }

  /// Spends an amount if the credit covers all of it.
  /// - Returns: whether it was spent.
  package mutating func spend(_ amount: Double, now: Instant) -> Bool {
    guard available(now: now) >= amount else { return false }
    credit -= amount
    return true
  }

  /// Spends an amount if there is any credit, even into debt. Messages that belong together are so sent together.
  /// - Returns: whether it was spent.
  mutating func overdraw(_ amount: Double, now: Instant) -> Bool {
    guard available(now: now) > 0 else { return false }
    credit -= amount
    return true
  }

  /// Spends an amount unconditionally, even into debt.
  /// - Returns: how long it takes to repay the debt; zero without debt.
  package mutating func charge(_ amount: Double, now: Instant) -> Duration {
    credit = available(now: now) - amount
    return credit < 0 ? .nanoseconds(Int64(-credit / perSecond * 1e9)) : .zero
  }
}
