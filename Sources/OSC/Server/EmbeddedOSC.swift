import Glibc
import Realtime

/// A server without sockets and threads, for simulations. The caller supplies the time and transports the datagrams.
///
/// - Thread: the thread that runs the simulation.
package final class EmbeddedOSC {
  /// A datagram on its way to or from a peer.
  package struct Datagram: Equatable, Sendable {
    package var bytes: [UInt8]
    package var peer: OSCPeer

    package init(_ bytes: [UInt8], _ peer: OSCPeer) {
      self.bytes = bytes
      self.peer = peer
    }
  }

  /// Collects what is sent.
  private final class Wire: OSCTransport {
    var sent: [Datagram] = []
    var accepts: (OSCPeer) -> Bool = { _ in true }

    func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32 {
      guard accepts(peer) else { return EAGAIN }
      sent.append(Datagram([UInt8](bytes), peer))
      return 0
    }
  }

  private let core: OSCCore
  private let outbox: OSCOutbox
  private let wire = Wire()

  init(core: OSCCore, outbox: OSCOutbox) {
    self.core = core
    self.outbox = outbox
  }

  /// Whether a peer accepts datagrams now. The server retries a peer that does not, as with sockets.
  package var accepts: (OSCPeer) -> Bool {
    get { wire.accepts }
    set { wire.accepts = newValue }
  }

  /// When the caller must call `run` even if no datagram arrives; nil for never.
  package func deadline(at now: Instant) -> Instant? { core.isHolding ? now + OSCSender.interval : nil }

  /// Handles datagrams, and sends all waiting packets.
  ///
  /// - Parameters:
  ///   - datagrams: those that have arrived, oldest first.
  ///   - now: the present instant, by the monotonic clock.
  /// - Returns: the datagrams sent, oldest first.
  package func run(_ datagrams: [Datagram] = [], at now: Instant) -> [Datagram] {
    for datagram in datagrams {
      datagram.bytes.withUnsafeBytes { bytes in
        core.receive(
          UnsafeRawBufferPointer(rebasing: bytes.prefix(OSCDatagram.lengthLimit)), length: bytes.count,
          from: datagram.peer, at: now, through: wire)
      }
    }
    while core.hasWork { core.handleNext(at: now) }
    core.retry(at: now, through: wire)
    while let packets = outbox.drain(), !packets.isEmpty { core.send(packets, at: now, through: wire) }
    defer { wire.sent = [] }
    return wire.sent
  }
}
