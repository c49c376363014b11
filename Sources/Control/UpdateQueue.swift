import Realtime
import Synchronization

/// The bounded, lock-protected queue through which every change reaches the conductor.
///
/// Where it is full a request is turned away, counted, and told so; but starts and stops, what other rooms have to say,
/// and the last value of a fader still find room in a reserve, of which the oldest of a kind goes.
public final class UpdateQueue: Sendable {
  public static let capacity = 4_096

  private struct State {
    var requests: [Request] = []
    /// What came while the queue was full and must get through; all of it is younger than `requests`.
    var reserve: [Request] = []
    var refused = 0

    /// Adds a request; returns the one that is lost for want of room, if any.
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
      // A value that a later one replaces is not missed.
      if kind.capacity == 1 { return nil }
      refused += 1
      return lost
    }
  }

  private let state = Mutex(State())
  /// Signalled when the queue is no longer empty.
  private let signal = MonotonicSemaphore()

  public init() {}

  /// Adds requests, which the conductor then takes out together, and returns at once.
  /// - Thread: any
  public func push(_ requests: [Request]) {
    let lost = state.withLock { state in
      let wasEmpty = state.requests.isEmpty
      let lost = requests.compactMap { state.add($0) }
      // One signal for all that is taken out at a time, so that a flood of them can't hold the conductor up.
      if wasEmpty, !state.requests.isEmpty { signal.signal() }
      return lost
    }
    for request in lost { request.refuse?("too many messages at once: this one was dropped") }
  }

  /// Adds a request and returns at once.
  /// - Thread: any
  public func push(_ request: Request) { push([request]) }

  /// Pushes an update that takes effect at once and that nobody waits for.
  /// - Thread: any
  public func push(_ update: Update) { push(Request(.update(update))) }

  /// Takes everything out, oldest first; waits for something to come until a deadline.
  /// - Parameter deadline: by `Monotonic`.
  /// - Returns: the requests, and how many were turned away since the last time.
  /// - Thread: control
  func drain(until deadline: UInt64) -> (requests: [Request], refused: Int) {
    _ = signal.wait(until: deadline)
    return state.withLock { state in
      defer { state = State() }
      return (state.requests + state.reserve, state.refused)
    }
  }
}
