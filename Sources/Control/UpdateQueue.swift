import Dispatch
import Synchronization

/// The bounded, lock-protected queue through which every change reaches the conductor.
///
/// Where it is full a request is turned away and counted, but for start and stop, of which the newest always gets through.
public final class UpdateQueue: Sendable {
  public static let capacity = 4_096

  private struct State {
    var requests: [Request] = []
    /// What is urgent and came while the queue was full; bounded too.
    var urgent: [Request] = []
    var refused = 0
  }

  private let state = Mutex(State())
  private let signal = DispatchSemaphore(value: 0)

  public init() {}

  /// Adds a request and returns at once; a request that is turned away is told so.
  /// - Thread: any
  public func push(_ request: Request) {
    let isTaken = state.withLock { state in
      if state.requests.count < UpdateQueue.capacity {
        state.requests.append(request)
      } else if request.isUrgent {
        if state.urgent.count == 64 { state.urgent.removeFirst() }
        state.urgent.append(request)
      } else {
        state.refused += 1
        return false
      }
      return true
    }
    signal.signal()
    if !isTaken { request.refuse?("too many messages at once: this one was dropped") }
  }

  /// Pushes an update that takes effect at once and that nobody waits for.
  /// - Thread: any
  public func push(_ update: Update) { push(Request(.update(update))) }

  /// Takes everything out, oldest first; waits for something to come until a deadline.
  /// - Parameter deadline: by `Monotonic`.
  /// - Returns: the requests, and how many were turned away since the last time.
  /// - Thread: control
  func drain(until deadline: UInt64) -> (requests: [Request], refused: Int) {
    let now = Monotonic.now
    if deadline > now {
      _ = signal.wait(timeout: .now() + .nanoseconds(Int(deadline - now)))
    }
    // One drain serves all the signals that came before it.
    while signal.wait(timeout: .now()) == .success {}
    return state.withLock { state in
      defer { state = State() }
      return (state.requests + state.urgent, state.refused)
    }
  }
}
