import Dispatch
import Glibc
import OSC
import Realtime
import Synchronization

/// A client of a session manager (NSM). It announces itself, passes the manager's requests to the program, and sends the
/// answers.
///
/// - Thread: any, except where a method says otherwise
package final class NSMClient: Sendable {
  /// Why the program runs without a session manager.
  package enum ManagerError: Error, CustomStringConvertible {
    /// The URL, which has another form or names no known host.
    case badURL(String)
    /// No socket could be opened; with the reason.
    case noSocket(String)
    /// The manager did not answer in time.
    case silent(url: String)
    /// The manager refused the client; with its reason.
    case refused(String)

    package var description: String {
      switch self {
      case .badURL(let url):
        "NSM_URL '\(url)': must have the form osc.udp://localhost:16000/, with a known host"
      case .noSocket(let reason): "no socket for the session manager: \(reason)"
      case .silent(let url): "the session manager at \(url) does not answer"
      case .refused(let reason): "the session manager refuses: \(reason)"
      }
    }
  }

  private struct State {
    var conversation = NSMConversation()
    /// The manager's answer to the announcement; nil before it.
    var answer: Result<Void, ManagerError>?
    /// Requests that arrived before `receiveOrders` was called.
    var waiting: [NSMOrder] = []
    var receive: (@Sendable (NSMOrder) -> Void)?
    var isDirty = false
  }

  private let url: String
  private let manager: OSCPeer
  private let state = Mutex(State())
  private let answered = MonotonicSemaphore()
  private let server: OSCServer
  /// nil if another instance has the right.
  private let right: SwitchingRight?

  /// Opens a socket for the conversation with the manager, and starts the thread `tactus-nsm` for it.
  /// - Parameter url: `NSM_URL`; its host may be a name.
  /// - Throws: `ManagerError.badURL` or `noSocket`.
  /// - Thread: any. It waits for the resolver.
  package init(url: String) throws(ManagerError) {
    guard var manager = NSMClient.resolve(url), var address = manager.address else {
      throw .badURL(url)
    }
    // A machine's own name may resolve to 127.0.1.1. Answers come from the address to which the announcement is sent.
    if address.isLoopback, case .udp(_, let port) = manager,
      let loopback = IPAddress(address.isIPv4 ? "127.0.0.1" : "::1")
    {
      (manager, address) = (.udp(loopback, port: port), loopback)
    }
    self.url = url
    self.manager = manager
    var configuration = OSCServer.Configuration()
    configuration.thread = "tactus-nsm"
    (configuration.port, configuration.address) = (0, address.isIPv4 ? "127.0.0.1" : "::1")
    if !address.isLoopback {
      configuration.address = address.isIPv4 ? "0.0.0.0" : "::"
      guard let network = try? OSCNetwork("\(address)") else { throw .badURL(url) }
      configuration.networks = [network]
    }
    right = SwitchingRight(manager: url)
    let reference = Reference()
    server = OSCServer(
      configuration, onMessages: { messages, peer, _ in reference.client?.handle(messages, from: peer) },
      onFault: { _, _ in })
    reference.client = self
    do { try server.start() } catch { throw .noSocket("\(error)") }
  }

  /// Announces the client, and waits for the manager's answer.
  /// - Parameters:
  ///   - program: the name with which the manager starts it again.
  ///   - process: the process identifier.
  /// - Throws: `ManagerError.silent` or `refused`.
  /// - Thread: any but the client's. It waits.
  package func announce(
    program: String, process: Int32, within limit: Duration
  ) throws(ManagerError) {
    send(NSMConversation.announcement(program: program, process: process, switches: right != nil))
    guard answered.wait(for: limit), let answer = state.withLock({ $0.answer }) else {
      throw .silent(url: url)
    }
    return try answer.get()
  }

  /// Sets the receiver of the manager's requests. Passes it those that have already arrived.
  /// - Parameter receive: runs on the thread `tactus-nsm`, or on the caller's. It must return soon.
  package func receiveOrders(_ receive: @escaping @Sendable (NSMOrder) -> Void) {
    let waiting = state.withLock { state in
      state.receive = receive
      defer { state.waiting = [] }
      return state.waiting
    }
    for order in waiting { receive(order) }
  }

  /// Reports to the manager that an order was carried out.
  /// - Thread: any
  package func confirm(_ order: NSMOrder, _ text: String) { send(NSMConversation.reply(order.address, text)) }

  /// Reports to the manager that an order can't be carried out.
  /// - Thread: any
  package func refuse(_ order: NSMOrder, _ code: NSMErrorCode, _ reason: String) {
    send(NSMConversation.error(order.address, code, reason))
  }

  /// Reports to the manager whether there are unsaved changes, if this is new.
  /// - Thread: any
  package func report(isDirty: Bool) {
    let isNew = state.withLock { state in
      defer { state.isDirty = isDirty }
      return state.isDirty != isDirty
    }
    if isNew { send(OSCMessage(isDirty ? NSMProtocol.isDirty : NSMProtocol.isClean)) }
  }

  /// Shows a message in the manager.
  /// - Parameter priority: 0 (lowest) to 3.
  /// - Thread: any
  package func show(_ text: String, priority: Int32) {
    send(OSCMessage(NSMProtocol.message, .int32(priority), .string(text)))
  }

  /// Closes the socket. Waits at most 2 s for the thread `tactus-nsm`.
  package func close() { server.stop() }

  private func send(_ message: OSCMessage) { server.send([message], to: manager) }

  private func handle(_ messages: [OSCMessage], from peer: OSCPeer) {
    // Any program on this machine can send to this socket; only the manager may make requests.
    guard peer == manager else { return }
    for message in messages {
      switch state.withLock({ $0.conversation.handle(message) }) {
      case .welcome: note(.success(()))
      case .refused(let reason): note(.failure(.refused(reason)))
      case .order(let order): handOn(order)
      case .answer(let answer): send(answer)
      case nil: break
      }
    }
  }

  private func note(_ answer: Result<Void, ManagerError>) {
    state.withLock { $0.answer = answer }
    answered.signal()
  }

  private func handOn(_ order: NSMOrder) {
    let receive = state.withLock { state in
      if state.receive == nil { state.waiting.append(order) }
      return state.receive
    }
    receive?(order)
  }

  /// The peer of `osc.udp://HOST:PORT/`. If the host has several addresses, it is the first IPv4 address, because session
  /// managers listen on IPv4, else the first IPv6 address. nil if the URL has another form or the host is unknown.
  static func resolve(_ url: String) -> OSCPeer? {
    if let peer = OSCPeer(url: url) { return peer }
    let scheme = "osc.udp://"
    guard url.hasPrefix(scheme) else { return nil }
    let parts = url.dropFirst(scheme.count).prefix { $0 != "/" }.split(separator: ":")
    guard parts.count == 2 else { return nil }
    for family in [AF_INET, AF_INET6] {
      guard let address = address(of: String(parts[0]), family) else { continue }
      return OSCPeer(url: scheme + (family == AF_INET ? address : "[\(address)]") + ":\(parts[1])/")
    }
    return nil
  }

  private static func address(of host: String, _ family: Int32) -> String? {
    var wanted = addrinfo()
    (wanted.ai_family, wanted.ai_socktype) = (family, Int32(SOCK_DGRAM.rawValue))
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &wanted, &found) == 0, let found else { return nil }
    defer { freeaddrinfo(found) }
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = getnameinfo(
      found.pointee.ai_addr, found.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    return code == 0
      ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }
}

/// A reference to the client for the handlers of its server, which are made before the client.
private final class Reference: @unchecked Sendable {
  // `@unchecked`: set once, before the server starts and with it the only thread that reads it.
  weak var client: NSMClient?
}
