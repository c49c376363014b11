/// How long a client is not read that sends more than its share. It then waits behind itself: nothing is lost, and nobody else waits.
struct Throttle {
  private let capacity: Double
  private let perSecond: Double
  private var credit: Double
  private var time: UInt64

  /// - Parameters:
  ///   - capacity: how much may come at once.
  ///   - now: in nanoseconds.
  init(capacity: Double, perSecond: Double, now: UInt64) {
    (self.capacity, self.perSecond) = (capacity, perSecond)
    (credit, time) = (capacity, now)
  }

  /// Notes what has come; returns how many nanoseconds to wait before more is read.
  mutating func take(_ amount: Double, now: UInt64) -> Int64 {
    credit = min(capacity, credit + Double(now - min(time, now)) * perSecond / 1e9) - amount
    time = max(time, now)
    return credit < 0 ? Int64(-credit / perSecond * 1e9) : 0
  }
}
