import CLiblo
import Glibc
import Realtime
import Synchronization

/// An OSC server on UDP and, if wanted, a UNIX socket. Every datagram is checked before liblo parses it.
///
/// It knows nothing of addresses: what arrives goes to one handler, a fault to another, both on the osc thread.
public final class OSCServer: Sendable {
  public struct Configuration: Sendable {
    /// The numeric address to listen on; 0.0.0.0 or :: for every interface.
    public var address = "127.0.0.1"
    /// 0 for any free one.
    public var port: UInt16 = 9700
    /// The path of the UNIX socket, absolute and at most 107 bytes; nil for none.
    public var path: String?
    /// Who may speak, and be spoken to, besides loopback and the UNIX socket.
    public var networks: [OSCNetwork] = []
    /// How many packets may wait to be sent, from 1, and how many urgent ones besides. When more come, the oldest goes.
    public var queueLength = 1024
    /// Addresses whose messages, alone in a short datagram, overtake what others have sent.
    public var urgent: Set<String> = []

    public init() {}
  }

  /// What is done with the messages of a datagram. The peer is its sender.
  public typealias MessageHandler = @Sendable ([OSCMessage], OSCPeer) -> Void
  /// What is done with a datagram that was refused. The peer is its sender, who may speak but may be anonymous.
  public typealias FaultHandler = @Sendable (OSCFault, OSCPeer) -> Void

  private struct Running: Sendable {
    let endpoint: OSCPeer
    let access: OSCAccess
    let outbox: OSCOutbox
    /// nil while the server is embedded.
    let thread: NamedThread?
  }

  private let handlers: (messages: MessageHandler, fault: FaultHandler)
  private let counters = OSCCounters()
  private let running = Mutex<Running?>(nil)
  public let configuration: Configuration

  /// The server keeps the handlers, so they should hold it, or what holds it, weakly.
  ///
  /// - Parameters:
  ///   - onMessages: called for each datagram, its messages in order; those of a bundle dated in the future at once, with
  ///     their time.
  ///     Thread: osc. It holds up everything else that arrives, so it should return soon.
  ///   - onFault: called for each datagram that was refused. Thread: osc.
  public init(
    _ configuration: Configuration = Configuration(), onMessages: @escaping MessageHandler,
    onFault: @escaping FaultHandler
  ) {
    self.configuration = configuration
    handlers = (onMessages, onFault)
  }

  deinit { stop() }

  /// Opens the sockets and starts the osc thread. After `stop` it can be called again.
  ///
  /// - Throws: `OSCStartError`; nothing is left open then.
  /// - Thread: any but osc.
  public func start() throws(OSCStartError) {
    let failure = running.withLock { running -> OSCStartError? in
      guard running == nil else { return OSCStartError(.running, "OSC server: it runs already") }
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
    let sockets = try OSCSockets(configuration)
    let endpoint = sockets.endpoint
    let access = OSCAccess(networks: configuration.networks, own: sockets.ownNames)
    let outbox = try OSCOutbox(capacity: max(configuration.queueLength, 1))
    let loop = try OSCLoop(
      sockets, access: access, outbox: outbox, counters: counters, handlers: handlers,
      urgent: configuration.urgent)
    do throws(NamedThread.Refusal) {
      let thread = try NamedThread("tactus-osc") { loop.run() }
      return Running(endpoint: endpoint, access: access, outbox: outbox, thread: thread)
    } catch {
      throw .system("OSC thread", error.code)
    }
  }

  /// Closes the sockets, removes the UNIX socket's path and joins the osc thread. What waits to be sent is lost.
  ///
  /// Returns whether the thread has ended. It hasn't when a handler holds on to it for more than two seconds, or when
  /// the call comes from a handler: then it ends, and closes the sockets, as soon as the handler returns.
  ///
  /// - Thread: any.
  @discardableResult
  public func stop() -> Bool {
    guard let stopping = running.withLock({ $0.take() }) else { return true }
    stopping.outbox.close()
    return stopping.thread?.hasEnded(within: .seconds(2)) ?? true
  }

  // MARK: Without sockets

  /// Starts without sockets and without a thread, for a program that runs in one thread in simulated time: its caller
  /// delivers what arrives and takes out what is to be sent.
  ///
  /// - Throws: `OSCStartError`.
  package func startEmbedded(at endpoint: OSCPeer) throws(OSCStartError) {
    let outbox = try OSCOutbox(capacity: max(configuration.queueLength, 1))
    let access = OSCAccess(networks: configuration.networks, own: [endpoint])
    running.withLock { $0 = Running(endpoint: endpoint, access: access, outbox: outbox, thread: nil) }
  }

  /// Handles the messages of a datagram, or its fault, as the osc thread does. Embedded only.
  package func deliver(_ contents: Result<[OSCMessage], OSCFault>, from peer: OSCPeer) {
    switch contents {
    case .success(let messages): handlers.messages(messages, peer)
    case .failure(let fault): handlers.fault(fault, peer)
    }
  }

  /// Takes out what the osc thread would send next, in order. Embedded only.
  func takePackets() -> [OSCOutbox.Packet] {
    running.withLock { $0?.outbox }.flatMap { $0.drain() } ?? []
  }

  /// Sends messages to a peer from the port, or the UNIX socket, that the server listens on: each on its own, or in a
  /// bundle when a time is given (in several when one would be too long). Returns at once.
  ///
  /// What can't be sent is counted as dropped: when the server is stopped, the peer anonymous or not allowed to speak.
  /// What goes beyond the peer's share of answers is withheld.
  ///
  /// - Thread: any.
  public func send(_ messages: [OSCMessage], at time: OSCTime? = nil, to peer: OSCPeer) {
    send(messages, at: time, to: peer, for: .answer)
  }

  /// As above, for a purpose: it says how much there may be of it, and what gives way to it.
  ///
  /// - Thread: any.
  package func send(
    _ messages: [OSCMessage], at time: OSCTime? = nil, to peer: OSCPeer, for purpose: OSCOutbox.Purpose
  ) {
    let lost = running.withLock { running in
      guard let running, peer != .anonymous, running.access.allows(peer) else { return 1 }
      return running.outbox.push(
        OSCOutbox.Packet(messages: messages, time: time, peer: peer, purpose: purpose))
    }
    if lost > 0 { counters.dropped.add(lost, ordering: .relaxed) }
  }

  /// Why a sender may not name a peer to be spoken to, as the end of "must be …"; nil where it may.
  ///
  /// - Thread: any.
  package func objection(to peer: OSCPeer, namedBy sender: OSCPeer) -> String? {
    running.withLock { $0?.access.objection(to: peer, namedBy: sender) }
  }

  /// Where UDP listens, with the real port; nil when the server is stopped.
  ///
  /// - Thread: any.
  public var endpoint: OSCPeer? { running.withLock { $0?.endpoint } }

  /// The real port, nil when the server is stopped.
  ///
  /// - Thread: any.
  public var port: UInt16? {
    if case .udp(_, let port) = endpoint { port } else { nil }
  }

  /// What came and went since the server was made.
  ///
  /// - Thread: any.
  package var counts: OSCCounts { counters.counts }
}
