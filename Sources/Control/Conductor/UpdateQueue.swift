import Realtime
import Synchronization

/// The bounded, lock-protected queue through which every change reaches the conductor.
///
/// If it is full, requests are refused and counted. Starts and stops, news, and the last value of each fader still find room in a
/// reserve, which drops the oldest of a kind.
package final class UpdateQueue: Sendable {
  package static let capacity = 4_096

  private struct State {
    var requests: [Request] = []
    /// The reserve: requests that arrived while the queue was full. All are newer than `requests`.
    var reserve: [Request] = []
    var refused = 0
    /// Whether the conductor has been woken for what is here.
    var hasSignalled = false
    /// Until when values gather without waking the conductor; nil if each wakes it.
    var gatheringEnd: Instant?

    /// Adds a request. Returns the one that is dropped, if any.
    mutating func add(_ request: Request) -> Request? {
      dropValue(replacedBy: request)
      guard requests.count == UpdateQueue.capacity else {
        requests.append(request)
        return nil
      }
      guard let kind = request.reserve else {
        refused += 1
        return request
      }
      defer { reserve.append(request) }
      guard reserve.count(where: { $0.reserve == kind }) == kind.capacity,
        let oldest = reserve.firstIndex(where: { $0.reserve == kind })
      else { return nil }
      let lost = reserve.remove(at: oldest)
      // Nobody misses a value that a later one replaces.
      if kind.capacity == 1 { return nil }
      refused += 1
      return lost
    }

    /// How far back a replaced value is looked for: as many faders move at a time.
    private static let reach = 8

    /// Takes out the value that a newer one replaces, which nobody misses. Only other values may lie between the two.
    private mutating func dropValue(replacedBy request: Request) {
      guard request.isValue, reserve.isEmpty else { return }
      for index in requests.indices.suffix(State.reach).reversed() {
        guard requests[index].isValue else { return }
        if requests[index].reserve == request.reserve {
          requests.remove(at: index)
          return
        }
      }
    }
  }

  private let state = Mutex(State())
  /// Signalled for the first request of many that the conductor is to be woken for.
  private let signal = MonotonicSemaphore()
  /// How long values gather after the conductor has taken one: half the time between two scores that are made of them.
  static let gathering = ScorePublisher.interval / 2

  package init() {}

  /// Adds requests, which the conductor handles in one turn, and returns at once.
  /// - Thread: any
  package func push(_ requests: [Request]) {
    let lost = state.withLock { state in
      var lost: [Request] = []
      for request in requests { if let request = state.add(request) { lost.append(request) } }
      // One signal for all that is taken out at a time, so that a flood of them can't hold the conductor up.
      if !state.hasSignalled, !state.requests.isEmpty,
        state.gatheringEnd == nil || !requests.allSatisfy(\.isValue)
      {
        state.hasSignalled = true
        signal.signal()
      }
      return lost
    }
    for request in lost { request.refuse?("too many messages at once: this one was dropped") }
  }

  /// Adds a request and returns at once.
  /// - Thread: any
  package func push(_ request: Request) { push([request]) }

  /// Adds an update that takes effect at once. Nobody is told if it is refused.
  /// - Thread: any
  package func push(_ update: Update) { push(Request(.update(update))) }

  /// Takes all requests out, oldest first. If there are none, waits for one until a deadline.
  /// - Returns: the requests, and the number refused since the last call.
  /// - Thread: control
  func drain(until deadline: Instant) -> (requests: [Request], refused: Int) {
    wait(until: deadline)
    // Only whoever waits lets values gather.
    let gatheringEnd: Instant? = deadline > .distantPast ? .now + UpdateQueue.gathering : nil
    return state.withLock { state in
      let taken = state
      state = State()
      if taken.requests.contains(where: \.isValue) { state.gatheringEnd = gatheringEnd }
      return (taken.requests + taken.reserve, taken.refused)
    }
  }

  /// Waits for a signal, or for values that have gathered.
  private func wait(until deadline: Instant) {
    if let end = state.withLock({ $0.gatheringEnd }), end < deadline {
      if signal.wait(until: end) { return }
      let hasValues = state.withLock { state in
        state.gatheringEnd = nil
        return !state.requests.isEmpty
      }
      if hasValues { return }
    }
    _ = signal.wait(until: deadline)
  }
}

extension Request {
  /// Whether the last of many counts.
  fileprivate var isValue: Bool { if case .value? = reserve { true } else { false } }
}
