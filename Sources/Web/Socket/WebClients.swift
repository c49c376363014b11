import Glibc
import OSC
import Synchronization

/// The clients on WebSockets and on TCP. Gives each a number, and queues datagrams for them.
///
/// - Thread: any.
final class WebClients: OSCCarrier {
  private struct State {
    var last = 0
    var outlets: [Int: Outlet] = [:]
    var strangers = 0
  }

  private let state = Mutex(State())

  /// Adds a client.
  /// - Returns: the client as a peer.
  func add(_ outlet: Outlet, at address: IPAddress, mayWrite: Bool) -> OSCPeer {
    state.withLock { state in
      state.last += 1
      state.outlets[state.last] = outlet
      return .connected(address, number: state.last, mayWrite: mayWrite)
    }
  }

  /// Counts a client that has not paired.
  /// - Returns: false if there are too many. The client is not counted then.
  func admitUnpaired() -> Bool {
    state.withLock { state in
      guard state.strangers < WebLimits.strangers else { return false }
      state.strangers += 1
      return true
    }
  }

  /// Ends the count of a client that `admitUnpaired` accepted.
  func removeStranger() { state.withLock { $0.strangers -= 1 } }

  func remove(_ peer: OSCPeer) {
    guard case .connected(_, let number, _) = peer else { return }
    state.withLock { $0.outlets[number] = nil }
  }

  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32 {
    guard case .connected(_, let number, _) = peer,
      let outlet = state.withLock({ $0.outlets[number] })
    else { return ENOTCONN }
    // A loss is reported so that it is counted, but not as EAGAIN: this datagram must not be sent again.
    return outlet.add([UInt8](bytes)) == 0 ? 0 : EOVERFLOW
  }

  /// How many clients have rights.
  var count: Int { state.withLock { $0.outlets.count } }
}
