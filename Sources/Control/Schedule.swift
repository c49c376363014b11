/// Requests for later, soonest first; bounded, with places for each owner.
///
/// Where all places are taken the request that lies furthest ahead gives way, so that nobody who books hours ahead can
/// keep out what is due soon.
public struct Schedule {
  public static let capacity = 1_024
  /// Places for one owner.
  public static let share = 64
  /// Nanoseconds ahead that a request may lie: a day.
  static let horizon: UInt64 = 86_400_000_000_000
  /// Nanoseconds ahead from which an owner is warned: no musician schedules that far, but a wrong clock does.
  static let farAhead: UInt64 = 10_000_000_000
  /// Nanoseconds between two warnings to one owner.
  static let warningInterval: UInt64 = 60_000_000_000

  private var requests: [(time: UInt64, request: Request)] = []
  /// When each owner was warned, as far as that is less than `warningInterval` ago.
  private var warnings: [String: UInt64] = [:]

  /// When the soonest is due; `UInt64.max` where there is none.
  var nextTime: UInt64 { requests.first?.time ?? .max }

  /// What waits and who asked for it, soonest first.
  var entries: [Scheduled] {
    requests.map { Scheduled(time: $0.time, origin: $0.request.origin) }
  }

  /// Adds a request after all that are due no later. The one that gives way to it is told.
  /// - Returns: why it can't be, or nil.
  mutating func insert(_ request: Request, at time: UInt64, now: UInt64) -> String? {
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

  /// What the owner of a request that was taken should know: that it lies far ahead. Nil where it doesn't, or where the
  /// owner was told within the last minute.
  mutating func warning(for request: Request, at time: UInt64, now: UInt64) -> String? {
    guard time > now + Schedule.farAhead, let owner = request.origin?.owner else { return nil }
    warnings = warnings.filter { $0.value + Schedule.warningInterval > now }
    guard warnings[owner] == nil, warnings.count < Schedule.capacity else { return nil }
    warnings[owner] = now
    return "taken, but its time is \((time - now) / 1_000_000_000) s ahead: see /tactus/scheduled"
  }

  /// Takes all requests out that are due at the soonest time, if that is not after `limit`.
  mutating func take(dueBy limit: UInt64) -> (time: UInt64, requests: [Request])? {
    guard let time = requests.first?.time, time <= limit else { return nil }
    let count = requests.firstIndex { $0.time != time } ?? requests.endIndex
    defer { requests.removeFirst(count) }
    return (time, requests.prefix(count).map(\.request))
  }

  /// Forgets the requests of an owner.
  mutating func clear(of owner: String?) { requests.removeAll { $0.request.origin?.owner == owner } }

  /// Forgets all requests.
  mutating func clear() { requests.removeAll() }
}

/// A request that waits for its time.
public struct Scheduled: Equatable, Sendable {
  /// When it is due, by `Monotonic`.
  public let time: UInt64
  public let origin: Request.Origin?
}
