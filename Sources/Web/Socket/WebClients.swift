import Glibc
import OSC
import Synchronization

/// The clients on WebSockets and on TCP: gives each a number, and carries datagrams to them.
///
/// - Thread: any.
final class WebClients: OSCCarrier {
  private struct State {
    var last = 0
    var outlets: [Int: Outlet] = [:]
    var strangers = 0
  }

  private let state = Mutex(State())

  /// Adds a client; returns it as a peer.
  func add(_ outlet: Outlet, at address: IPAddress, mayWrite: Bool) -> OSCPeer {
    state.withLock { state in
      state.last += 1
      state.outlets[state.last] = outlet
      return .connected(address, number: state.last, mayWrite: mayWrite)
    }
  }

  /// Notes a client that has shown no key yet; returns whether it may stay.
  func admitStranger() -> Bool {
    state.withLock { state in
      guard state.strangers < WebLimits.strangers else { return false }
      state.strangers += 1
      return true
    }
  }

  func removeStranger() { state.withLock { $0.strangers -= 1 } }

  func remove(_ peer: OSCPeer) {
    guard case .connected(_, let number, _) = peer else { return }
    state.withLock { $0.outlets[number] = nil }
  }

  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32 {
    guard case .connected(_, let number, _) = peer,
      let outlet = state.withLock({ $0.outlets[number] })
    else { return ENOTCONN }
    // A loss is told so that it is counted. It must not look as if this datagram could be tried again.
    return outlet.add([UInt8](bytes)) == 0 ? 0 : EOVERFLOW
  }

  var count: Int { state.withLock { $0.outlets.count } }
}
