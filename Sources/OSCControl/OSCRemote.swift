import Control
import MusicTime

/// Tactus as OSC apps see it: turns messages into updates, answers, and tells subscribers what happens.
public final class OSCRemote: Sendable {
  private let updates: UpdateQueue
  let server: OSCServer
  let subscribers: SubscriberList
  let klick: KlickRemote?

  /// - Parameters:
  ///   - updates: the conductor's queue.
  ///   - klick: where given, klick's namespace is obeyed too.
  public init(_ configuration: OSCServer.Configuration, updates: UpdateQueue, klick: KlickHost? = nil) {
    self.updates = updates
    let subscribers = SubscriberList()
    self.subscribers = subscribers
    let reference = Reference()
    server = OSCServer(
      configuration,
      onMessages: { messages, peer in reference.remote?.receive(messages, from: peer) },
      onFault: { fault, peer in reference.remote?.refuse(fault.address ?? "", fault.reason, to: peer) })
    self.klick = klick.map { [server] in KlickRemote($0, server: server, updates: updates) }
    reference.remote = self
  }

  /// - Throws: `OSCStartError`.
  public func start() throws(OSCStartError) { try server.start() }

  /// Ends the server; returns whether its thread has ended.
  @discardableResult
  public func stop() -> Bool { server.stop() }

  /// Where it listens; nil while it doesn't.
  public var endpoint: String? { server.endpoint?.url }

  /// The real UDP port; nil while it doesn't listen.
  public var port: UInt16? { server.port }

  /// The path of the UNIX socket; nil for none.
  public var socket: String? { server.configuration.path }

  /// How many have subscribed.
  public var subscriberCount: Int { subscribers.list.withLock { $0.current(now: Monotonic.now).count } }

  /// What came and went since the remote was made.
  var counts: OSCCounts { server.counts }

  // MARK: In

  /// What a datagram asks of the conductor reaches it in one go, so that a bundle's meter and groups are one change.
  /// - Thread: osc
  private func receive(_ messages: [OSCMessage], from peer: OSCPeer) {
    updates.push(messages.flatMap { requests($0, from: peer) })
  }

  private func requests(_ message: OSCMessage, from peer: OSCPeer) -> [Request] {
    // What another Tactus pushes is not answered, or the two would never end.
    if AddressSpace.pushed.contains(message.address) { return [] }
    if let klick, message.address.hasPrefix(KlickNamespace.root) {
      return klick.requests(message, from: peer)
    }
    do {
      return try AddressSpace.endpoints(for: message).compactMap { endpoint in
        do {
          return try request(endpoint, message, from: peer)
        } catch {
          refuse(endpoint.address, "\(error)", to: peer)
          return nil
        }
      }
    } catch {
      refuse(message.address, error.reason, to: peer)
      return []
    }
  }

  /// Does what a message asks of an endpoint, or says what it asks of the conductor.
  private func request(_ endpoint: Endpoint, _ message: OSCMessage, from peer: OSCPeer) throws -> Request? {
    let arguments = OSCArguments(name: endpoint.name, arguments: message.arguments)
    if arguments.count == 0, endpoint.isReadWithoutArguments {
      return query([endpoint], for: peer)
    }
    switch endpoint.action {
    case .set(let update), .order(let update):
      try arguments.require(endpoint.counts, as: endpoint.types)
      return request(try update(arguments), message, endpoint, peer)
    case .trigger(let update):
      if arguments.count > 0, try !arguments.truth(0) { return nil }
      return request(update, message, endpoint, peer)
    case .call(let update): return try update(arguments).map { request($0, message, endpoint, peer) }
    case .list(let rows) where arguments.count == 0:
      return query(for: peer) { rows($0).map { OSCMessage(endpoint.address, arguments: $0) } }
    // Not answered with the value: two of us would send it to and fro for ever.
    case .read, .list: throw InvalidValue(endpoint.name, "is read-only", allowed: "sent without arguments")
    case .ping: server.send([OSCMessage("/tactus/pong", arguments: message.arguments)], to: peer)
    case .query: return arguments.isRelease ? nil : query(AddressSpace.endpoints, for: peer)
    case .subscribe: return arguments.isRelease ? nil : try subscribe(subscriber(arguments, peer))
    case .unsubscribe: if !arguments.isRelease { try unsubscribe(subscriber(arguments, peer)) }
    }
    return nil
  }

  private func request(
    _ update: Update, _ message: OSCMessage, _ endpoint: Endpoint, _ peer: OSCPeer
  ) -> Request {
    let now = Monotonic.now
    let time = message.time.map { $0.isImmediate ? now : Monotonic.time(ofWallClock: $0.unixNanoseconds) }
    return Request(
      .update(update), at: time.flatMap { $0 > now ? $0 : nil }, arrival: min(time ?? now, now),
      refuse: { [weak self] in self?.refuse(endpoint.address, $0, to: peer) })
  }

  private func query(_ endpoints: [Endpoint], for peer: OSCPeer) -> Request {
    query(for: peer) { snapshot in
      endpoints.compactMap { endpoint in
        endpoint.value.map { OSCMessage(endpoint.address, arguments: $0(snapshot)) }
      }
    }
  }

  private func query(
    for peer: OSCPeer, answers: @escaping @Sendable (Snapshot) -> [OSCMessage]
  ) -> Request {
    Request(
      .query { [weak self] in self?.server.send(answers($0), to: peer) },
      refuse: { [weak self] in self?.refuse("/tactus/query", $0, to: peer) })
  }

  private func refuse(_ address: String, _ reason: String, to peer: OSCPeer) {
    let error = OSCMessage("/tactus/error", .string(address), .string(reason))
    server.send([error], to: peer)
    // Subscribers see what others get wrong: those who can't hear an answer, as `oscsend`, are watched that way.
    for other in subscribers.list.withLock({ $0.current(now: Monotonic.now) }) where other != peer {
      server.send([error], to: other)
    }
  }

  // MARK: Subscribers

  /// The peer that a message means: its sender, or the one that it names.
  private func subscriber(_ arguments: OSCArguments, _ sender: OSCPeer) throws(InvalidValue) -> OSCPeer {
    // A button sends 1 when it is pressed; no port has that number.
    guard arguments.count > 0, arguments.arguments[0].number != 1 else { return sender }
    let allowed = "a URL such as osc.udp://127.0.0.1:9000/, or a port"
    let text = arguments.arguments[0].text ?? arguments.arguments[0].integer.map(String.init) ?? ""
    guard let peer = OSCPeer(url: text, host: sender.address) else {
      throw InvalidValue("subscriber", quoted(text), allowed: allowed)
    }
    if let objection = server.objection(to: peer, namedBy: sender) {
      throw InvalidValue("subscriber", quoted(text), allowed: objection)
    }
    return peer
  }

  private func subscribe(_ peer: OSCPeer) throws(InvalidValue) -> Request {
    guard peer != .anonymous else {
      throw InvalidValue("subscriber", "without a path", allowed: "a sender that can be answered")
    }
    guard subscribers.list.withLock({ $0.add(peer, now: Monotonic.now) }) else {
      throw InvalidValue(
        "subscriber", "\(peer)", allowed: "one of at most \(Subscribers.capacity): there are as many already")
    }
    return query(AddressSpace.endpoints, for: peer)
  }

  private func unsubscribe(_ peer: OSCPeer) throws(InvalidValue) {
    guard subscribers.list.withLock({ $0.remove(peer) }) else {
      throw InvalidValue("subscriber", "\(peer)", allowed: "one that has subscribed")
    }
  }
}

/// A reference to the remote that its own server's handlers can be given before it is whole.
private final class Reference: @unchecked Sendable {
  // `@unchecked`: set once, before the server starts and with it the only thread that reads it.
  weak var remote: OSCRemote?
}
