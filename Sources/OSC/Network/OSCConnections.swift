import Glibc
import Realtime
import Synchronization

/// Connects the osc thread with peers that are not reached through its sockets: the datagrams that they sent, and the carrier of
/// those for them.
///
/// What waits is bounded for each peer. One that sends faster than it is read loses the rest.
final class OSCConnections: Sendable {
  /// How many bytes of a peer may wait, each datagram with `OSCInbox.overhead`.
  static let share = 32_768

  struct Datagram: Sendable {
    let bytes: [UInt8]
    let peer: OSCPeer
  }

  private struct State {
    var datagrams: [Datagram] = []
    var sizes: [OSCPeer: Int] = [:]
    var carrier: (any OSCCarrier)?
  }

  /// Readable while a datagram waits.
  let wakeup = Wakeup()
  private let state = Mutex(State())

  /// - Thread: any.
  func connect(_ carrier: (any OSCCarrier)?) { state.withLock { $0.carrier = carrier } }

  /// Adds a datagram; returns whether there was room.
  /// - Thread: any.
  func add(_ bytes: [UInt8], from peer: OSCPeer) -> Bool {
    let size = bytes.count + OSCInbox.overhead
    return state.withLock { state in
      guard state.sizes[peer, default: 0] + size <= OSCConnections.share else { return false }
      if state.datagrams.isEmpty { wakeup.post() }
      state.sizes[peer, default: 0] += size
      state.datagrams.append(Datagram(bytes: bytes, peer: peer))
      return true
    }
  }

  /// Takes all that waits, oldest first.
  /// - Thread: osc.
  func drain() -> [Datagram] {
    state.withLock { state in
      wakeup.clear()
      defer { (state.datagrams, state.sizes) = ([], [:]) }
      return state.datagrams
    }
  }

  /// - Thread: osc.
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32 {
    state.withLock { $0.carrier }?.send(bytes, to: peer) ?? ENOTCONN
  }
}
