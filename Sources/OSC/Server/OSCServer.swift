import CLiblo
import Glibc
import Realtime
import Synchronization

/// An OSC server on UDP and, optionally, a UNIX socket. Every datagram is checked before liblo reads it.
///
/// It knows no OSC addresses. One handler receives the messages, another the faults, both on the osc thread.
package final class OSCServer: Sendable {
  /// What `start` opens, and the limits of the server.
  package struct Configuration: Sendable {
    /// The numeric address to listen on; 0.0.0.0 or :: for all interfaces.
    package var address = "127.0.0.1"
    /// The UDP port; 0 for any free one.
    package var port: UInt16 = 9700
    /// How many ports are tried, from `port` on, until one is free; at least 1.
    package var portCount = 1
    /// The path of the UNIX socket, absolute and at most 107 bytes; nil for none.
    package var path: String?
    /// The networks with which datagrams are exchanged, besides loopback and the UNIX socket.
    package var networks: [OSCNetwork] = []
    /// How many packets may wait to be sent, and as many urgent ones; at least 1. When the queue is full, the oldest packet of
    /// the peer with the most is dropped.
    package var queueLength = 1024
    /// Addresses whose messages, alone in a datagram of at most 64 bytes, overtake those of other peers.
    package var urgent: Set<String> = []
    /// The name of the thread, at most 15 bytes.
    package var thread: StaticString = "tactus-osc"

    package init() {}
  }

  /// Handles the messages of a datagram. `peer` is its sender, `now` the present instant by the monotonic clock.
  package typealias MessageHandler =
    @Sendable (_ messages: [OSCMessage], _ peer: OSCPeer, _ now: Instant) -> Void
  /// Handles a datagram that was refused. The peer is its sender, which may be anonymous.
  package typealias FaultHandler = @Sendable (OSCFault, OSCPeer) -> Void

  private struct Running: Sendable {
    let endpoint: OSCPeer
    let access: OSCAccess
    let outbox: OSCOutbox
    /// nil if the server is embedded.
    let thread: NamedThread?
  }

  private let handlers: (messages: MessageHandler, fault: FaultHandler)
  private let counters = OSCCounters()
  private let running = Mutex<Running?>(nil)
  private let connections = OSCConnections()
  /// The configuration that the server was made with.
  package let configuration: Configuration

  /// The server keeps the handlers, so they should refer to it, or to its owner, weakly.
  ///
  /// - Parameters:
  ///   - onMessages: called for each datagram with its messages in order, also for a bundle with a future time. Thread: osc. It
  ///     delays everything else that arrives, so it should return soon.
  ///   - onFault: called for each datagram that was refused. Thread: osc.
  package init(
    _ configuration: Configuration = Configuration(), onMessages: @escaping MessageHandler,
    onFault: @escaping FaultHandler
  ) {
    self.configuration = configuration
    handlers = (onMessages, onFault)
  }

  deinit { stop() }

  /// Opens the sockets and starts the osc thread. Can be called again after `stop`.
  ///
  /// - Throws: `OSCStartError`. Nothing is left open then.
  /// - Thread: any but osc.
  package func start() throws(OSCStartError) {
    let failure = running.withLock { running -> OSCStartError? in
      guard running == nil else { return OSCStartError(.running, "OSC server: already running") }
      do throws(OSCStartError) {
        running = try open()
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private func open() throws(OSCStartError) -> Running {
    let sockets = try OSCSockets(configuration, connections: connections)
    let endpoint = sockets.endpoint
    let access = OSCAccess(networks: configuration.networks, own: sockets.ownNames)
    let outbox = try OSCOutbox(capacity: max(configuration.queueLength, 1))
    let loop = OSCLoop(sockets, outbox: outbox, connections: connections, core: makeCore(access))
    do throws(NamedThread.StartError) {
      let thread = try NamedThread(configuration.thread) { loop.run() }
      return Running(endpoint: endpoint, access: access, outbox: outbox, thread: thread)
    } catch {
      throw .system("OSC thread", error.code)
    }
  }

  private func makeCore(_ access: OSCAccess) -> OSCCore {
    OSCCore(access: access, urgent: configuration.urgent, counters: counters, handlers: handlers)
  }

  /// Starts the server without sockets and thread, for a simulation. `stop` ends it.
  /// - Parameter endpoint: the address on which it pretends to listen.
  package func embed(at endpoint: OSCPeer) -> EmbeddedOSC {
    let access = OSCAccess(networks: configuration.networks, own: [endpoint])
    let outbox = OSCOutbox(wakingNobodyWithCapacity: max(configuration.queueLength, 1))
    running.withLock { running in
      running = Running(endpoint: endpoint, access: access, outbox: outbox, thread: nil)
    }
    return EmbeddedOSC(core: makeCore(access), outbox: outbox)
  }

  /// Closes the sockets, removes the UNIX socket's path and joins the osc thread. Drops all packets that wait to be sent.
  ///
  /// - Returns: whether the thread has ended. It has not if a handler runs for more than two seconds, or if a handler makes the
  ///   call. In both cases the thread ends, and closes the sockets, when the handler returns.
  /// - Thread: any.
  @discardableResult
  package func stop() -> Bool {
    guard let stopping = running.withLock({ $0.take() }) else { return true }
    stopping.outbox.close()
    return stopping.thread?.hasEnded(within: .seconds(2)) ?? true
  }

  /// Sets the carrier that sends datagrams to peers on connections; nil for none.
  ///
  /// - Thread: any.
  package func connect(_ carrier: (any OSCCarrier)?) { connections.connect(carrier) }

  /// Handles a datagram that came over a connection like one from a socket: with the same checks, in its turn, on the osc
  /// thread. Returns at once. If a peer sends faster than the thread reads, its newest datagrams are dropped.
  ///
  /// - Parameter peer: a connected one.
  /// - Thread: any.
  package func receive(_ bytes: [UInt8], from peer: OSCPeer) {
    guard !connections.add(bytes, from: peer) else { return }
    counters.received.add(1, ordering: .relaxed)
    counters.refused.add(1, ordering: .relaxed)
  }

  /// Sends messages to a peer from the server's own port or UNIX socket: each on its own, or in a bundle if a time is given (in
  /// several if one would be too long). Returns at once.
  ///
  /// Messages that can't be sent are counted as dropped: if the server is stopped, or the peer anonymous or not allowed.
  /// `purpose` decides about allowances and priority. Messages that exceed an allowance are counted as withheld.
  ///
  /// - Thread: any.
  package func send(
    _ messages: [OSCMessage], at time: OSCTime? = nil, to peer: OSCPeer,
    for purpose: OSCOutbox.Purpose = .news
  ) {
    let lost = running.withLock { running in
      guard let running, peer != .anonymous, running.access.allows(peer) else { return 1 }
      return running.outbox.push(
        OSCOutbox.Packet(messages: messages, time: time, peer: peer, purpose: purpose))
    }
    if lost > 0 { counters.dropped.add(lost, ordering: .relaxed) }
  }

  /// Why a sender may not have messages sent to the peer that it names, as the end of "must be …"; nil if it may, or if the
  /// server is stopped.
  ///
  /// - Thread: any.
  package func objection(to peer: OSCPeer, namedBy sender: OSCPeer) -> String? {
    running.withLock { $0?.access.objection(to: peer, namedBy: sender) }
  }

  /// Whether messages may be sent to a peer; false while the server is stopped.
  ///
  /// - Thread: any.
  package func mayReach(_ peer: OSCPeer) -> Bool { running.withLock { $0?.access.allows(peer) ?? false } }

  /// The address and port of the UDP socket; nil while the server is stopped.
  ///
  /// - Thread: any.
  package var endpoint: OSCPeer? { running.withLock { $0?.endpoint } }

  /// The UDP port, never 0; nil while the server is stopped.
  ///
  /// - Thread: any.
  package var port: UInt16? {
    if case .udp(_, let port) = endpoint { port } else { nil }
  }

  /// Counts of datagrams since the server was made.
  ///
  /// - Thread: any.
  package var counts: OSCCounts { counters.counts }
}
