import Control
import Dispatch
import OSC
import OSCControl
import Realtime
import Synchronization
import Validation

/// The `/klick` namespace: handles klick's messages, answers as klick does, and reports changes to the clients.
///
/// A message changes klick's variables at once, on the osc thread, and sends the resulting requests to the conductor. Answers
/// and reports are sent when the conductor has carried these out, and so in the order of the messages. Maps are read on their
/// own queue; meanwhile all messages wait (see `KlickBacklog`) and are then handled on that queue.
package final class KlickRemote: OSCNamespace {
  /// How many clients may register. A registration does not expire.
  static let capacity = 64

  struct State {
    var klick = KlickState()
    var clients: [OSCPeer] = []
    /// How many messages the conductor has not handled yet. While there are any, its snapshots are old and are not adopted.
    var pending = 0
    /// The values that were last sent to the clients.
    var sent: [KlickValue: [OSCArgument]] = [:]
    var backlog = KlickBacklog()

    /// Messages with the values that have changed since they were sent to the clients.
    mutating func news() -> [OSCMessage] {
      KlickValue.all(klick.kind).compactMap { value in
        let arguments = value.arguments(klick)
        guard sent.updateValue(arguments, forKey: value) != arguments else { return nil }
        return value.message(klick)
      }
    }
  }

  package var root: String { KlickNamespace.root }

  let state = Mutex(State())
  let host: KlickHost
  let server: OSCServer
  let updates: UpdateQueue
  let clock: RemoteClock
  /// The queue for calls to the JACK server: a server that hangs must not delay the osc thread.
  private let connecting: any WorkQueue
  /// How many calls wait in that queue.
  private let connections = Atomic<Int>(0)
  /// How many calls may wait in that queue.
  static let mostConnections = 32
  /// The queue on which maps are read.
  let reading: any WorkQueue

  /// - Parameters:
  ///   - clock: the clocks for the times of tempo changes.
  ///   - makeWorkQueue: makes a queue with a name, for work that may take long.
  package init(
    _ host: KlickHost, server: OSCServer, updates: UpdateQueue, clock: RemoteClock = .system,
    makeWorkQueue: (_ name: String) -> any WorkQueue = { DispatchQueue(label: $0) }
  ) {
    self.host = host
    self.server = server
    self.updates = updates
    self.clock = clock
    connecting = makeWorkQueue("tactus.klick")
    reading = makeWorkQueue("tactus.klick.maps")
    state.withLock { $0.pending = 1 }
    updates.push(Request(.query { [weak self] in self?.begin($0) }))
  }

  /// Adopts the first snapshot, without reporting it as a change.
  private func begin(_ now: Snapshot) {
    state.withLock { state in
      state.pending -= 1
      _ = state.klick.adopt(now, at: clock.now())
      _ = state.news()
    }
  }

  // MARK: In

  /// Handles a message, or keeps it until a map has been read.
  /// - Thread: osc
  package func requests(_ message: OSCMessage, _ exchange: OSCExchange) -> [Request] {
    switch state.withLock({ $0.backlog.take(message, from: exchange.peer) }) {
    case .handle: return handle(message, from: exchange.peer, at: exchange.time, exchange)
    case .wait: return []
    case .full:
      exchange.countFault()
      complain(
        message.address, "\(KlickBacklog.capacity) messages already wait for a map to be read")
      return []
    }
  }

  /// Handles a message now. Reports its first fault.
  /// - Parameter exchange: the datagram with the message; nil if the message has waited.
  /// - Thread: osc, or the queue on which maps are read.
  func handle(
    _ message: OSCMessage, from peer: OSCPeer, at now: Instant, _ exchange: OSCExchange? = nil
  ) -> [Request] {
    var faults: [(address: String, error: any Error)] = []
    defer {
      if let (address, error) = faults.first {
        exchange?.countFault()
        complain(address, error, besides: faults.count - 1)
      }
    }
    do {
      let endpoints = try KlickNamespace.endpoints(matching: message.address)
      return endpoints.flatMap { endpoint in
        do {
          return try requests(endpoint, message, from: peer, at: now, exchange)
        } catch {
          faults.append((endpoint.address, error))
          return []
        }
      }
    } catch {
      faults.append((message.address, OSCFault(reason: error.reason)))
      return []
    }
  }

  private func requests(
    _ endpoint: KlickEndpoint, _ message: OSCMessage, from peer: OSCPeer, at now: Instant,
    _ exchange: OSCExchange?
  ) throws -> [Request] {
    guard let arguments = endpoint.arguments(message.arguments) else {
      let types = endpoint.types!.map { $0.isEmpty ? "without arguments" : "as ,\($0)" }
      throw InvalidValue("message", "as ,\(message.typeTags)", allowed: types.joined(separator: " or "))
    }
    let kind = state.withLock { $0.klick.kind }
    guard endpoint.kind == nil || endpoint.kind == kind else {
      throw InvalidValue(
        "message", "for the \(kind) metronome", allowed: "sent after set_type \(endpoint.kind!)")
    }
    switch endpoint.action {
    case .answer(let values):
      try exchange?.countValues(KlickValue.allCases.count)
      let receiver = try receiver(arguments, peer)
      return answer(to: receiver, askedBy: peer) { klick in values(klick).map { $0.message(klick) } }
    case .reply(let name):
      let receiver = try receiver(arguments, peer)
      return answer(to: receiver, askedBy: peer) { _ in [OSCMessage(KlickNamespace.root + name)] }
    case .ports:
      let receiver = try receiver(arguments, peer)
      try connect { [self] in
        let ports = OSCMessage(
          KlickNamespace.root + "config/available_ports", arguments: host.inputs().map { .string($0) })
        updates.push(answer(to: receiver, askedBy: peer) { _ in [ports] })
      }
    case .register:
      let receiver = try receiver(arguments, peer)
      try register(receiver)
      // klick's clients query all values next. A short query earns only a part of them, so they are credited here.
      let values = state.withLock { state in
        KlickValue.all(state.klick.kind).map { $0.message(state.klick) }
      }
      server.send(values, to: receiver, for: .credit)
    case .unregister:
      let receiver = try receiver(arguments, peer)
      state.withLock { state in state.clients.removeAll { $0 == receiver } }
    case .call(let call):
      try connect { [self] in
        do { try call(host, arguments) } catch { complain(endpoint.address, error) }
      }
    case .quit: host.quit()
    case .change(let values, let whenDone, let change):
      return try perform(change, arguments, endpoint, pushing: values, whenDone: whenDone, at: now)
    }
    return []
  }

  /// Calls the JACK server on its queue.
  /// - Throws: `InvalidValue` if too many calls wait.
  private func connect(_ ask: @escaping @Sendable () -> Void) throws(InvalidValue) {
    guard connections.add(1, ordering: .relaxed).newValue <= KlickRemote.mostConnections else {
      connections.subtract(1, ordering: .relaxed)
      throw InvalidValue(
        "message", "while \(KlickRemote.mostConnections) others wait for the JACK server",
        allowed: "sent again when it answers")
    }
    connecting.run { [self] in
      ask()
      connections.subtract(1, ordering: .relaxed)
    }
  }

  /// The peer that a message names, or else its sender.
  private func receiver(_ arguments: OSCArguments, _ sender: OSCPeer) throws(InvalidValue) -> OSCPeer {
    guard arguments.count > 0 else { return sender }
    let text = try arguments.text(0)
    guard let peer = KlickAddress.peer(text, from: sender) else {
      throw InvalidValue(
        "return address", quoted(text), allowed: "a port, or a URL with this machine's name or a number")
    }
    if let objection = server.objection(to: peer, namedBy: sender) {
      throw InvalidValue("return address", quoted(text), allowed: objection)
    }
    return peer
  }

  private func register(_ peer: OSCPeer) throws(InvalidValue) {
    let fits = state.withLock { state in
      if state.clients.contains(peer) { return true }
      guard peer != .anonymous, state.clients.count < KlickRemote.capacity else { return false }
      state.clients.append(peer)
      return true
    }
    guard fits else {
      throw InvalidValue(
        "client", "\(peer)", allowed: "one of at most \(KlickRemote.capacity) clients that can be answered")
    }
  }

  private func answer(
    to peer: OSCPeer, askedBy requester: OSCPeer, _ messages: @Sendable (KlickState) -> [OSCMessage]
  ) -> [Request] {
    let messages = state.withLock { messages($0.klick) }
    guard !messages.isEmpty else { return [Request(.query { _ in })] }
    return [
      Request(.query { [server] _ in server.send(messages, to: peer, for: .answer(askedBy: requester)) })
    ]
  }

  /// Reports a fault to standard error and to subscribers.
  func complain(_ address: String, _ reason: String) {
    updates.push(Request(.problem("\(address): \(reason)")))
  }

  /// Reports an error. If it is a `GuardedError`, network clients receive only its outline.
  /// - Parameter more: how many other addresses refused the message.
  func complain(_ address: String, _ error: any Error, besides more: Int = 0) {
    let note = more > 0 ? " (and \(more) more)" : ""
    guard let error = error as? any GuardedError else { return complain(address, "\(error)\(note)") }
    updates.push(
      Request(
        .guardedProblem("\(address): \(error)\(note)", outline: "\(address): \(error.outline)\(note)")))
  }
}
