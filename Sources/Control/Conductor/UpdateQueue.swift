import Realtime
import Synchronization

/// The bounded queue through which every change reaches the conductor. A lock protects it.
///
/// If it is full, requests are refused and counted. Starts and stops, news, and the latest value of each fader still go into a
/// reserve. A full reserve drops the oldest request of the same kind.
package final class UpdateQueue: Sendable {
  package static let capacity = 4_096

  private struct State {
    var requests: [Request] = []
    /// The reserve: requests that arrived while the queue was full. All are newer than `requests`.
    var reserve: [Request] = []
    var refused = 0
    /// Whether the conductor has been woken for these requests.
    var hasSignalled = false
    /// Until when values are collected without waking the conductor; nil: each value wakes it.
    var gatheringEnd: Instant?

    /// Adds a request.
    /// - Returns: the request that is dropped; nil if none.
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
      // A value that is replaced by a later one is no loss.
      if kind.capacity == 1 { return nil }
      refused += 1
      return lost
    }

    /// How many requests back a replaced value is searched: as many faders may move at the same time.
    private static let reach = 8

    /// Removes the value that a newer one replaces. Only other values may lie between the two.
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
  /// Signalled once for all requests that the conductor drains together.
  private let signal = MonotonicSemaphore()
  /// How long values are collected after the conductor has taken one: half of the interval between two scores.
  static let gathering = ScorePublisher.interval / 2

  package init() {}

  /// Adds requests, which the conductor handles in one turn, and returns at once.
  /// - Thread: any
  package func push(_ requests: [Request]) {
    let lost = state.withLock { state in
      var lost: [Request] = []
      for request in requests { if let request = state.add(request) { lost.append(request) } }
      // One signal for everything that is drained together, so that a flood of requests can't hold up the conductor.
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

  /// Adds an update that takes effect at once. If it is refused, no one receives the reason.
  /// - Thread: any
  package func push(_ update: Update) { push(Request(.update(update))) }

  /// Takes out all requests, oldest first. If there are none, waits for one until the deadline.
  /// - Parameter deadline: `distantPast` does not wait.
  /// - Returns: the requests, and the number refused since the last call.
  /// - Thread: control
  func drain(until deadline: Instant) -> (requests: [Request], refused: Int) {
    wait(until: deadline)
    // Values are collected only if the caller waits.
    let gatheringEnd: Instant? = deadline > .distantPast ? .now + UpdateQueue.gathering : nil
    return state.withLock { state in
      let taken = state
      state = State()
      if taken.requests.contains(where: \.isValue) { state.gatheringEnd = gatheringEnd }
      return (taken.requests + taken.reserve, taken.refused)
    }
  }

  /// Waits for a signal, or for values that have been collected.
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
  /// Whether only the latest value counts.
  fileprivate var isValue: Bool { if case .value? = reserve { true } else { false } }
}
