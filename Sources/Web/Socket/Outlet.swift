import Synchronization

/// Datagrams that wait to be sent to a client. If there are too many, the oldest are dropped: the newest contain the present
/// state.
///
/// - Thread: any.
final class Outlet: Sendable {
  private struct State {
    var datagrams: [[UInt8]] = []
    var taken = 0
    var size = 0
    var isWoken = false
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  /// - Parameter wake: makes the client's thread call `take` until nothing is left. Thread: the caller's of `add`
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  /// Adds a datagram.
  /// - Returns: how many datagrams were dropped for it.
  func add(_ bytes: [UInt8]) -> Int {
    let (lost, wakes) = state.withLock { state in
      state.datagrams.append(bytes)
      state.size += bytes.count + WebLimits.overhead
      var lost = 0
      while state.size > WebLimits.outgoing, state.taken < state.datagrams.count {
        _ = Outlet.pop(&state)
        lost += 1
      }
      defer { state.isWoken = true }
      return (lost, !state.isWoken)
    }
    if wakes { wake() }
    return lost
  }

  /// Removes and returns the oldest; nil if there is none. Only after nil does `add` wake the thread again.
  func take() -> [UInt8]? {
    state.withLock { state in
      guard state.taken < state.datagrams.count else {
        state.isWoken = false
        return nil
      }
      return Outlet.pop(&state)
    }
  }

  private static func pop(_ state: inout State) -> [UInt8] {
    let bytes = state.datagrams[state.taken]
    state.datagrams[state.taken] = []
    state.taken += 1
    state.size -= bytes.count + WebLimits.overhead
    if state.taken * 2 > state.datagrams.count {
      state.datagrams.removeFirst(state.taken)
      state.taken = 0
    }
    return bytes
  }
}
