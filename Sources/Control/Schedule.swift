/// Requests for later, soonest first; bounded.
struct Schedule {
  static let capacity = 256
  /// Nanoseconds ahead that a request may lie: a day.
  static let horizon: UInt64 = 86_400_000_000_000

  private var requests: [(time: UInt64, request: Request)] = []

  /// When the soonest is due; `UInt64.max` where there is none.
  var nextTime: UInt64 { requests.first?.time ?? .max }

  /// Adds a request after all that are due no later.
  /// - Returns: why it can't be, or nil.
  mutating func insert(_ request: Request, at time: UInt64, now: UInt64) -> String? {
    guard requests.count < Schedule.capacity else {
      return "\(Schedule.capacity) messages wait for their time already: no more are taken"
    }
    guard time < now + Schedule.horizon else { return "its time is more than a day ahead" }
    let index = requests.firstIndex { $0.time > time } ?? requests.endIndex
    requests.insert((time, request), at: index)
    return nil
  }

  /// Takes all requests out that are due at the soonest time, if that is not after `limit`.
  mutating func take(dueBy limit: UInt64) -> (time: UInt64, requests: [Request])? {
    guard let time = requests.first?.time, time <= limit else { return nil }
    let count = requests.firstIndex { $0.time != time } ?? requests.endIndex
    defer { requests.removeFirst(count) }
    return (time, requests.prefix(count).map(\.request))
  }
}
