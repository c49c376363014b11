import Realtime
import Synchronization

/// The bounded, lock-protected queue through which every change reaches the conductor.
///
/// If it is full, requests are refused and counted. Starts and stops, news, and the last value of each fader still find room in a
/// reserve, which drops the oldest of a kind.
public final class UpdateQueue: Sendable {
  public static let capacity = 4_096

  private struct State {
    var requests: [Request] = []
    /// The reserve: requests that arrived while the queue was full. All are newer than `requests`.
    var reserve: [Request] = []
    var refused = 0

    /// Adds a request. Returns the one that is dropped, if any.
    mutating func add(_ request: Request) -> Request? {
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
  }

  private let state = Mutex(State())
  /// Signalled when the queue is no longer empty.
  private let signal = MonotonicSemaphore()

  public init() {}

  /// Adds requests, which the conductor handles in one turn, and returns at once.
  /// - Thread: any
  public func push(_ requests: [Request]) {
    let lost = state.withLock { state in
      let wasEmpty = state.requests.isEmpty
      let lost = requests.compactMap { state.add($0) }
      // One signal for all requests that are drained together, so that a flood costs one wakeup.
      if wasEmpty, !state.requests.isEmpty { signal.signal() }
      return lost
    }
    for request in lost { request.refuse?("too many messages at once: this one was dropped") }
  }

  /// Adds a request and returns at once.
  /// - Thread: any
  public func push(_ request: Request) { push([request]) }

  /// Adds an update that takes effect at once. Nobody is told if it is refused.
  /// - Thread: any
  public func push(_ update: Update) { push(Request(.update(update))) }

  /// Takes all requests out, oldest first. If there are none, waits for one until a deadline.
  /// - Returns: the requests, and the number refused since the last call.
  /// - Thread: control
  func drain(until deadline: Instant) -> (requests: [Request], refused: Int) {
    _ = signal.wait(until: deadline)
    return state.withLock { state in
      defer { state = State() }
      return (state.requests + state.reserve, state.refused)
    }
  }
}
