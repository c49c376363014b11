import Realtime

/// Scheduled requests, earliest first. Their number is limited in total and per owner.
///
/// If the schedule is full, the latest request is dropped, so that requests for much later can't displace those that are due
/// soon.
package struct Schedule {
  package static let capacity = 1_024
  /// The maximum number of requests of one owner.
  package static let share = 64
  /// How far ahead a request may be: a day.
  static let horizon = Duration.seconds(86_400)
  /// How far ahead a request must be for its owner to be warned: no musician schedules that far, but a wrong clock does.
  static let farAhead = Duration.seconds(10)
  /// The time between two warnings to one owner.
  static let warningInterval = Duration.seconds(60)

  private var requests: [(time: Instant, request: Request)] = []
  /// When each owner was warned, if less than `warningInterval` ago.
  private var warnings: [String: Instant] = [:]

  /// When the earliest request is due; `never` if there is none.
  var nextTime: Instant { requests.first?.time ?? .never }

  /// The waiting requests with their senders, earliest first.
  var entries: [Scheduled] {
    requests.map { Scheduled(time: $0.time, origin: $0.request.origin) }
  }

  /// Adds a request after all requests that are due no later. If the schedule is full, drops the latest request and calls its
  /// `refuse`.
  /// - Returns: the reason if the new request is refused; nil if it is not.
  mutating func insert(_ request: Request, at time: Instant, now: Instant) -> String? {
    guard time < now + Schedule.horizon else { return "its time is more than a day ahead" }
    if let owner = request.origin?.owner {
      guard requests.count(where: { $0.request.origin?.owner == owner }) < Schedule.share else {
        return "\(Schedule.share) messages of yours wait for their time already: no more are taken"
      }
    }
    if requests.count == Schedule.capacity, let last = requests.last {
      guard time < last.time else {
        return "\(Schedule.capacity) messages wait for earlier times already: no more are taken"
      }
      requests.removeLast()
      last.request.refuse?("dropped before its time: \(Schedule.capacity) messages for earlier times wait")
    }
    let index = requests.firstIndex { $0.time > time } ?? requests.endIndex
    requests.insert((time, request), at: index)
    return nil
  }

  /// The warning for the owner of a request that is far ahead; nil if it is not, or if the owner was warned within the last
  /// minute.
  mutating func warning(for request: Request, at time: Instant, now: Instant) -> String? {
    guard time > now + Schedule.farAhead, let owner = request.origin?.owner else { return nil }
    warnings = warnings.filter { $0.value + Schedule.warningInterval > now }
    guard warnings[owner] == nil, warnings.count < Schedule.capacity else { return nil }
    warnings[owner] = now
    return
      "taken, but its time is \(Int(((time - now) / .seconds(1)).rounded())) s ahead: see /tactus/scheduled"
  }

  /// Removes and returns all requests with the earliest time, unless that time is after `limit`.
  mutating func take(dueBy limit: Instant) -> (time: Instant, requests: [Request])? {
    guard let time = requests.first?.time, time <= limit else { return nil }
    let count = requests.firstIndex { $0.time != time } ?? requests.endIndex
    defer { requests.removeFirst(count) }
    return (time, requests.prefix(count).map(\.request))
  }

  /// Drops the requests of an owner.
  mutating func clear(of owner: String?) { requests.removeAll { $0.request.origin?.owner == owner } }

  /// Drops all requests.
  mutating func clear() { requests.removeAll() }
}

/// A request that waits for its time.
package struct Scheduled: Equatable, Sendable {
  /// When the request is due.
  package let time: Instant
  package let origin: Request.Origin?
}
