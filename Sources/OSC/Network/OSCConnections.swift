import Glibc
import Realtime
import Synchronization

/// Connects the osc thread with peers on connections: it queues the datagrams that they sent, and holds the carrier that sends
/// datagrams to them.
///
/// The queue is bounded for each peer. If a peer sends faster than the osc thread reads, its newest datagrams are dropped.
final class OSCConnections: Sendable {
  /// How many bytes of one peer may wait; each datagram counts `OSCInbox.overhead` bytes more.
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

  /// Its descriptor is readable while a datagram waits.
  let wakeup = Wakeup()
  private let state = Mutex(State())

  /// Sets the carrier; nil for none.
  /// - Thread: any.
  func connect(_ carrier: (any OSCCarrier)?) { state.withLock { $0.carrier = carrier } }

  /// Adds a datagram, and wakes the osc thread.
  /// - Returns: false if the peer's share of the queue is full. The datagram is dropped then.
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

  /// Removes and returns all datagrams, oldest first.
  /// - Thread: osc.
  func drain() -> [Datagram] {
    state.withLock { state in
      wakeup.clear()
      defer { (state.datagrams, state.sizes) = ([], [:]) }
      return state.datagrams
    }
  }

  /// Sends a datagram through the carrier. Never blocks.
  /// - Returns: 0 or the system's error; `ENOTCONN` without a carrier.
  /// - Thread: osc.
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32 {
    state.withLock { $0.carrier }?.send(bytes, to: peer) ?? ENOTCONN
  }
}
