import Control
import MusicTime
import OSC
import Realtime
import Synchronization
import Validation

/// The `/tactus` namespace: turns messages into updates, answers queries, and reports to subscribers.
///
/// - Thread: any, except where a method says otherwise
package final class OSCRemote: Sendable {
  let updates: UpdateQueue
  let server: OSCServer
  let subscribers: SubscriberList
  /// Another namespace on the same port; nil if there is none.
  let other: (any OSCNamespace)?
  let clock: RemoteClock
  /// Limits how many errors of other peers the subscribers receive: one per second, four at once.
  private let overheard: Mutex<TokenBucket>
  private let corrections = Mutex(CorrectionLimiter())
  private let waiting = Mutex(WaitingQueries())
  let show = Mutex(BeatDisplay())
  /// The sender of the last datagram, and its name in the schedule. In a storm all datagrams come from one sender, so the name
  /// is made once.
  private let lastOwner = Mutex<(peer: OSCPeer, name: String)?>(nil)

  /// - Parameters:
  ///   - updates: the conductor's queue.
  ///   - clock: the clocks for time tags and deadlines.
  ///   - other: makes another namespace to be served on the same port; nil for none.
  package init(
    _ configuration: OSCServer.Configuration, updates: UpdateQueue, clock: RemoteClock = .system,
    beside other: ((OSCServer) -> any OSCNamespace)? = nil
  ) {
    self.updates = updates
    self.clock = clock
    overheard = Mutex(TokenBucket(capacity: 4, perSecond: 1, now: clock.now()))
    let subscribers = SubscriberList()
    self.subscribers = subscribers
    let reference = Reference()
    var configuration = configuration
    configuration.urgent = AddressSpace.urgent
    server = OSCServer(
      configuration,
      onMessages: { reference.remote?.receive($0, from: $1, at: $2) },
      onFault: { reference.remote?.receive($0, from: $1) })
    self.other = other.map { [server] in $0(server) }
    reference.remote = self
  }

  /// Opens the sockets, starts the osc thread and sends all values to the feedback peers.
  /// - Throws: `OSCStartError`.
  package func start() throws(OSCStartError) {
    try server.start()
    beginFeedback()
  }

  /// Starts without sockets and thread, for a simulation.
  /// - Parameter endpoint: the address on which it pretends to listen.
  package func embed(at endpoint: OSCPeer) -> EmbeddedOSC { server.embed(at: endpoint) }

  /// Stops the server. Waits at most 2 s for its thread.
  /// - Returns: whether the thread has ended.
  @discardableResult
  package func stop() -> Bool { server.stop() }

  /// The URL of its UDP socket, such as `osc.udp://127.0.0.1:9700/`; nil while it is stopped.
  package var endpoint: String? { server.endpoint?.url }

  /// The UDP port, never 0; nil while it is stopped.
  package var port: UInt16? { server.port }

  /// The path of the UNIX socket; nil if there is none.
  package var socket: String? { server.configuration.path }

  /// How many peers have subscribed, receive feedback, or listen to single addresses.
  package var subscriberCount: Int {
    subscribers.list.withLock { $0.current(now: clock.now()).count + $0.listeners.count }
  }

  /// Whether a connection needs beats half a second ahead.
  package var needsForecast: Bool { subscribers.list.withLock { $0.hasConnections } }

  /// Counts of datagrams since the remote was made.
  var counts: OSCCounts { server.counts }

  /// How many answers and reports were dropped since the remote was made.
  package var droppedAnswers: Int { server.counts.dropped }

  // MARK: In

  /// Handles the messages of a datagram. Pushes their requests to the conductor together, so that the meter and the groups in
  /// one bundle are one change.
  /// - Thread: osc
  private func receive(_ messages: [OSCMessage], from peer: OSCPeer, at now: Instant) {
    let exchange = OSCExchange(with: peer, owner: owner(peer), at: now) { [weak self] in
      self?.refuse($0, $1, to: $2)
    }
    var requests: [Request] = []
    for message in messages where !exchange.isExhausted {
      let new = self.requests(message, exchange)
      requests = requests.isEmpty ? new : requests + new
    }
    // A sender receives the error before the value that applies.
    exchange.close()
    updates.push(requests)
  }

  /// Handles an unreadable datagram, such as one with an infinite number.
  /// - Thread: osc
  private func receive(_ fault: OSCFault, from peer: OSCPeer) {
    let address = fault.address ?? ""
    refuse(address, fault.reason, to: peer)
    guard let endpoint = AddressSpace.ordinary[address], peer != .anonymous else { return }
    let exchange = OSCExchange(with: peer, owner: owner(peer), at: clock.now()) { [weak self] in
      self?.refuse($0, $1, to: $2)
    }
    if let correction = correction(for: endpoint, OSCMessage(address, .string("unreadable")), exchange) {
      updates.push(correction)
    }
  }

  /// The name of a peer in the schedule: the address of another machine, or the program on this machine.
  private func owner(_ peer: OSCPeer) -> String {
    lastOwner.withLock { last in
      if let last, last.peer == peer { return last.name }
      let name = peer.machine.map(\.description) ?? peer.description
      last = (peer, name)
      return name
    }
  }

  private func requests(_ message: OSCMessage, _ exchange: OSCExchange) -> [Request] {
    if let endpoint = AddressSpace.ordinary[message.address] {
      return requests(endpoint, message.withoutImpulse, exchange)
    }
    // Reports of another Tactus are ignored. The two would answer each other for ever.
    if AddressSpace.pushed.contains(message.address) { return [] }
    do throws(OSCFault) {
      if let other, message.address.hasPrefix(other.root) {
        guard exchange.peer.mayWrite else { throw OSCFault(reason: OSCRemote.onlyLooks) }
        if (try? OSCPattern(message.address))?.isLiteral == false { try exchange.countPattern() }
        return other.requests(message, exchange)
      }
      let message = AddressSpace.echoing.contains(message.address) ? message : message.withoutImpulse
      return try AddressSpace.endpoints(for: message, exchange).flatMap { requests($0, message, exchange) }
    } catch {
      exchange.refuse(message.address, error.reason)
      return []
    }
  }

  private func requests(
    _ endpoint: Endpoint, _ message: OSCMessage, _ exchange: OSCExchange
  ) -> [Request] {
    guard !exchange.isExhausted else { return [] }
    var requests: [Request] = []
    do {
      if let request = try request(endpoint, message, exchange) { requests.append(request) }
      guard endpoint.clips(message.arguments) else { return requests }
    } catch {
      exchange.refuse(endpoint.address, "\(error)")
    }
    if let correction = correction(for: endpoint, message, exchange) { requests.append(correction) }
    return requests
  }

  private static let onlyLooks = "this remote may only read: it was paired with --viewer"

  /// Carries out a message to an endpoint.
  /// - Returns: the request to the conductor; nil if there is none.
  /// - Throws: `InvalidValue` or `OSCFault`.
  private func request(
    _ endpoint: Endpoint, _ message: OSCMessage, _ exchange: OSCExchange
  ) throws -> Request? {
    let arguments = OSCArguments(name: endpoint.name, arguments: message.arguments, readsTexts: true)
    if arguments.count == 0, endpoint.isReadWithoutArguments {
      return try query([endpoint], for: exchange.peer, exchange)
    }
    guard exchange.peer.mayWrite || endpoint.isHarmless else { throw OSCFault(reason: OSCRemote.onlyLooks) }
    switch endpoint.action {
    case .set(let update), .order(let update):
      try arguments.require(endpoint.counts, as: endpoint.form)
      return request(try update(arguments), message, endpoint, exchange)
    case .trigger(let update):
      if arguments.count > 0, try !arguments.truth(0) { return nil }
      return request(update, message, endpoint, exchange)
    case .call(let update): return try update(arguments).map { request($0, message, endpoint, exchange) }
    case .list(let rows) where arguments.withoutPadding.count == 0:
      try exchange.countValues(AddressSpace.rowLimit)
      return list(exchange) { [clock] in rows($0, clock.now()).map(endpoint.answer) }
    case .pages(let count, let row, let none):
      let first = try firstRow(endpoint, arguments, exchange)
      return list(exchange) { snapshot in
        let count = count(snapshot)
        let rows = (first - 1..<max(first - 1, count)).prefix(AddressSpace.rowLimit).map { index in
          AddressSpace.ints(index + 1, count) + row(snapshot, index)
        }
        return (rows.isEmpty ? [AddressSpace.ints(0, 0) + none] : rows).map(endpoint.answer)
      }
    case .documents(let row):
      let first = try firstRow(endpoint, arguments, exchange)
      return documents(endpoint, from: first, row, exchange)
    // Not answered with the value: two programs that did that would answer each other for ever.
    case .read, .list:
      throw InvalidValue(endpoint.name, "is read-only", allowed: "sent without arguments")
    case .ping:
      let pong = endpoint.address.dropLast("ping".count) + "pong"
      server.send([OSCMessage(String(pong), arguments: message.arguments)], to: exchange.peer, for: .urgent)
    case .time:
      let time = OSCTime(unixNanoseconds: clock.wallClock(exchange.time))
      server.send(
        [OSCMessage(AddressSpace.now, arguments: message.arguments + [.timetag(time)])], to: exchange.peer,
        for: .urgent)
    case .query:
      guard !arguments.isRelease else { return nil }
      return try queryAll(for: receiver(arguments, exchange.peer), exchange)
    case .subscribe:
      guard !arguments.isRelease else { return nil }
      let peer = try subscriber(arguments, exchange.peer)
      return try subscribe(peer, for: lifetime(arguments, of: peer), exchange)
    case .feedback(let action): return try feedback(action, endpoint, arguments, message, exchange)
    case .unsubscribe: if !arguments.isRelease { try unsubscribe(subscriber(arguments, exchange.peer)) }
    }
    return nil
  }

  /// The number of the first row that a message asks for.
  private func firstRow(
    _ endpoint: Endpoint, _ arguments: OSCArguments, _ exchange: OSCExchange
  ) throws -> Int {
    let arguments = arguments.withoutPadding
    try arguments.require(endpoint.counts, as: endpoint.form)
    try exchange.countValues(AddressSpace.rowLimit)
    return arguments.count == 0 ? 1 : try arguments.integer(0, in: 1...1_000_000, "a number from 1")
  }

  /// A request for an update, with the time of the message's bundle. A refusal is reported through the exchange.
  func request(
    _ update: Update, _ message: OSCMessage, _ endpoint: Endpoint, _ exchange: OSCExchange
  ) -> Request {
    let now = exchange.time
    subscribers.list.withLock { $0.feedback.note(endpoint.family, setBy: exchange.peer, at: now) }
    let time = message.time.map { $0.isImmediate ? now : clock.instant($0.unixNanoseconds) }
    return Request(
      .update(update), at: time.flatMap { $0 > now ? $0 : nil }, arrival: min(time ?? now, now),
      origin: Request.Origin(owner: exchange.owner, name: endpoint.address),
      refuse: { [weak self] reason in
        exchange.refuse(endpoint.address, reason)
        guard let self, let request = correction(for: endpoint, message, exchange) else { return }
        updates.push(request)
      },
      warn: { [weak self] warning in self?.refuse("", "\(endpoint.address) is \(warning)", to: exchange.peer)
      })
  }

  /// A query that sends the current value back after a refused or clamped message. The sender and the feedback
  /// peers on its machine receive it, within the sender's allowance. nil if no answer is due.
  /// - Thread: any
  private func correction(
    for endpoint: Endpoint, _ message: OSCMessage, _ exchange: OSCExchange
  ) -> Request? {
    guard endpoint.answersWithValueAfterRefusal, message.address == endpoint.address,
      message.time?.isImmediate ?? true,
      !message.arguments.isEmpty, let value = endpoint.value,
      corrections.withLock({ $0.admits(message, of: exchange.peer, at: clock.now()) }),
      (try? exchange.countValues(1)) != nil
    else { return nil }
    let others = subscribers.list.withLock { $0.feedback.otherPeers(onMachineOf: exchange.peer) }
    let peers = [exchange.peer] + others
    return Request(
      .query { [weak self] snapshot in
        for peer in peers {
          self?.answer([endpoint.answer(value(snapshot))], to: peer, askedBy: exchange.peer)
        }
      }, refuse: { _ in })
  }

  private func query(_ endpoints: [Endpoint], for peer: OSCPeer, _ exchange: OSCExchange) throws(OSCFault)
    -> Request
  {
    try exchange.countValues(endpoints.count { $0.value != nil })
    return query(for: peer, exchange) { OSCRemote.values(of: endpoints, $0) }
  }

  /// A query for all values. If the peer sends another one before its turn comes, only the later one is answered.
  private func queryAll(for peer: OSCPeer, _ exchange: OSCExchange) throws(OSCFault) -> Request {
    try exchange.countValues(AddressSpace.endpoints.count { $0.value != nil })
    let number = waiting.withLock { $0.add(peer) }
    return Request(
      .query { [weak self] snapshot in
        guard let self, waiting.withLock({ $0.take(number, of: peer) }) else { return }
        answer(OSCRemote.values(of: AddressSpace.endpoints, snapshot), to: peer, askedBy: exchange.peer)
      },
      refuse: { [weak self] in
        _ = self?.waiting.withLock { $0.take(number, of: peer) }
        exchange.refuse("/tactus/query", $0)
      })
  }

  /// A message for each endpoint that has a value.
  static func values(of endpoints: [Endpoint], _ snapshot: Snapshot) -> [OSCMessage] {
    endpoints.compactMap { endpoint in endpoint.value.map { endpoint.answer($0(snapshot)) } }
  }

  /// A query that sends its answers to a peer.
  /// - Parameter requester: the peer whose allowance is charged; nil for the sender.
  func query(
    for peer: OSCPeer, askedBy requester: OSCPeer? = nil, _ exchange: OSCExchange,
    answers: @escaping @Sendable (Snapshot) -> [OSCMessage]
  ) -> Request {
    Request(
      .query { [weak self] in self?.answer(answers($0), to: peer, askedBy: requester ?? exchange.peer) },
      refuse: { exchange.refuse("/tactus/query", $0) })
  }

  /// A query that answers its sender with a list. A program of this machine need not earn it.
  func list(_ exchange: OSCExchange, rows: @escaping @Sendable (Snapshot) -> [OSCMessage]) -> Request {
    Request(
      .query { [weak self] in self?.answer(withList: rows($0), to: exchange.peer) },
      refuse: { exchange.refuse("/tactus/query", $0) })
  }

  private func answer(withList rows: [OSCMessage], to peer: OSCPeer) {
    server.send(rows, to: peer, for: .credit)
    answer(rows, to: peer, askedBy: peer)
  }

  private func documents(
    _ endpoint: Endpoint, from first: Int,
    _ row: @escaping @Sendable (Int, Int, DocumentSummary?) -> [OSCArgument], _ exchange: OSCExchange
  ) -> Request {
    Request(
      .documents { [weak self] documents in
        let rows = documents.enumerated().dropFirst(first - 1).prefix(AddressSpace.rowLimit).map {
          row($0 + 1, documents.count, $1)
        }
        self?.answer(
          withList: (rows.isEmpty ? [row(0, 0, nil)] : rows).map(endpoint.answer), to: exchange.peer)
      },
      refuse: { exchange.refuse(endpoint.address, $0) })
  }

  private func answer(_ messages: [OSCMessage], to peer: OSCPeer, askedBy requester: OSCPeer) {
    server.send(messages, to: peer, for: .answer(askedBy: peer == requester ? nil : requester))
  }

  /// Reports a fault to its sender, and a limited number to subscribers.
  /// - Parameter address: what was refused; empty for a warning.
  /// - Thread: any
  private func refuse(_ address: String, _ reason: String, to peer: OSCPeer) {
    let error = OSCRefusal.message(to: AddressSpace.error, address, reason).printable
    if peer != .anonymous { server.send([error], to: peer, for: .refusal) }
    // Subscribers also receive errors of other peers, so that users can watch senders that can't receive an answer, such as
    // `oscsend`.
    guard overheard.withLock({ $0.spend(1, now: clock.now()) }) else { return }
    let others = subscribers.list.withLock { $0.current(now: clock.now()) }.filter { $0 != peer }
    for (index, other) in others.enumerated() {
      server.send([error], to: other, for: .overheard(of: peer, sharers: others.count - index))
    }
  }

  // MARK: Subscribers

  /// The peer that a message names, or else its sender.
  /// - Throws: `InvalidValue` if the text is no URL or port, or the sender may not name that peer.
  func subscriber(_ arguments: OSCArguments, _ sender: OSCPeer) throws(InvalidValue) -> OSCPeer {
    // A button sends 1 when it is pressed. This is not taken as a port.
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

  /// The receiver of a query's answer: the peer that it names by a port or a URL, otherwise its sender. Other arguments only
  /// make the message longer, to earn more of the answer.
  private func receiver(_ arguments: OSCArguments, _ sender: OSCPeer) throws(InvalidValue) -> OSCPeer {
    guard let first = arguments.arguments.first, !first.isTruth,
      first.integer != nil || first.text.flatMap({ OSCPeer(url: $0, host: sender.address) }) != nil
    else { return sender }
    return try subscriber(arguments, sender)
  }

  /// How many seconds a subscription lasts.
  /// - Throws: `InvalidValue` if the requested time is out of range.
  private func lifetime(_ arguments: OSCArguments, of peer: OSCPeer) throws(InvalidValue) -> Int {
    guard arguments.count > 1 else { return Subscribers.lifetime }
    let most = peer.remoteAddress == nil ? Subscribers.longest : Subscribers.lifetime
    return try arguments.integer(1, "lifetime", in: 1...most, "1…\(most) seconds")
  }

  private func subscribe(_ peer: OSCPeer, for seconds: Int, _ exchange: OSCExchange) throws -> Request {
    guard peer != .anonymous else {
      throw InvalidValue("subscriber", "without a path", allowed: "a sender that can be answered")
    }
    try exchange.countValues(AddressSpace.endpoints.count { $0.value != nil })
    // The first values are credited to the subscriber.
    let values = query(for: peer, askedBy: peer, exchange) { [server] snapshot in
      let values = OSCRemote.values(of: AddressSpace.endpoints, snapshot)
      server.send(values, to: peer, for: .credit)
      return values
    }
    guard subscribers.list.withLock({ $0.add(peer, for: seconds, now: clock.now()) }) else {
      throw InvalidValue(
        "subscriber", "\(peer)",
        allowed:
          "one of at most \(Subscribers.capacity), \(Subscribers.share) at an address: no more are accepted now"
      )
    }
    return values
  }

  private func unsubscribe(_ peer: OSCPeer) throws(InvalidValue) {
    guard subscribers.list.withLock({ $0.remove(peer) }) else {
      throw InvalidValue("subscriber", "\(peer)", allowed: "one that has subscribed")
    }
  }
}

extension OSCMessage {
  /// The message without a sole impulse, which apps send if they can't send a message without arguments.
  fileprivate var withoutImpulse: OSCMessage {
    arguments == [.impulse] ? OSCMessage(address, time: time) : self
  }
}

extension OSCArguments {
  /// The arguments without a last text that is no number. Such a text only makes a message longer: it earns more of an answer.
  var withoutPadding: OSCArguments {
    guard let text = arguments.last?.text, Double(text) == nil else { return self }
    return OSCArguments(name: name, arguments: arguments.dropLast(), readsTexts: true)
  }
}

/// A reference to the remote for the handlers of its server, which are made before the remote.
private final class Reference: @unchecked Sendable {
  // `@unchecked`: set once, before the server starts and with it the only thread that reads it.
  weak var remote: OSCRemote?
}
