import Realtime

/// A quantity that is spent, and comes back with time up to a capacity.
package struct Allowance {
  let capacity: Double
  let perSecond: Double
  private var credit: Double
  private(set) var time: Instant

  /// - Parameter credit: what there is at first; all of the capacity where nil.
  package init(capacity: Double, perSecond: Double, credit: Double? = nil, now: Instant) {
    (self.capacity, self.perSecond) = (capacity, perSecond)
    (self.credit, time) = (credit ?? capacity, now)
  }

  /// What may be spent; negative after `overdraw`.
  mutating func available(now: Instant) -> Double {
    // A clock that goes back gives nothing.
    let passed = now.nanoseconds - min(time, now).nanoseconds
    credit = min(capacity, credit + Double(passed) * perSecond / 1e9)
    time = max(time, now)
    return credit
  }

  mutating func earn(_ amount: Double, now: Instant) { credit = min(capacity, available(now: now) + amount) }

  /// Spends an amount if all of it is there; returns whether it was.
  package mutating func spend(_ amount: Double, now: Instant) -> Bool {
    guard available(now: now) >= amount else { return false }
    credit -= amount
    return true
  }

  /// Spends an amount, into debt, if anything is there; returns whether it was. What belongs together is so sent whole.
  mutating func overdraw(_ amount: Double, now: Instant) -> Bool {
    guard available(now: now) > 0 else { return false }
    credit -= amount
    return true
  }

  /// Spends an amount in any case.
  /// - Returns: how long the debt takes to come back; zero without debt.
  package mutating func charge(_ amount: Double, now: Instant) -> Duration {
    credit = available(now: now) - amount
    return credit < 0 ? .nanoseconds(Int64(-credit / perSecond * 1e9)) : .zero
  }
}
