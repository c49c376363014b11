import Glibc
import Realtime

/// Sends packets from the outbox.
///
/// If a peer accepts nothing for the moment, its datagrams are sent again, in order, for `patience`; then they are dropped. A
/// slow peer never delays others. Answers and errors are limited by the peers' limits. A peer receives the rest of an
/// answer when it has earned it.
///
/// - Thread: osc.
struct OSCSender {
  /// How long datagrams for a slow peer are retried.
  static let patience = Duration.milliseconds(500)
  /// The time between two attempts.
  static let interval = Duration.milliseconds(5)
  /// How many datagrams may wait for all slow peers.
  static let capacity = 2_048
  /// How many datagrams may wait for one slow peer: more than all values, each in its own datagram.
  static let share = 512

  private struct Held {
    var bytes: [UInt8]
    var peer: OSCPeer
    var deadline: Instant
  }

  /// How many messages may wait for their time.
  static let laterCapacity = 1_024
  /// The longest delay of `OSCOutbox.Purpose.later`.
  static let longestWait = Duration.seconds(1)

  private let counters: OSCCounters
  private var held: [Held] = []
  /// Messages that wait for their time.
  private var later: [Place: (message: OSCMessage, due: Instant)] = [:]

  /// An address of one peer: a newer message for it replaces an older one.
  private struct Place: Hashable {
    let peer: OSCPeer
    let address: String
  }

  private var limits = OSCRateLimits()
  /// The unsent rest of each peer's answers, oldest first.
  private var owed: [(peer: OSCPeer, requester: OSCPeer, rest: [OSCMessage])] = []
  /// How many unsent rests are kept.
  private static let owedPeers = 64
  /// How many messages of one rest are kept.
  private static let owedMessages = 512

  init(counters: OSCCounters) {
    self.counters = counters
  }

  /// Whether `retry` must be called after `interval`: for a slow peer, or for messages that wait for their time.
  var isHolding: Bool { !held.isEmpty || !later.isEmpty }

  /// Credits a peer with `bytes` that it has sent.
  mutating func receive(_ bytes: Int, from peer: OSCPeer, at now: Instant) {
    limits.receive(bytes, from: peer, now: now)
  }

  mutating func send(_ packet: OSCOutbox.Packet, at now: Instant, through transport: some OSCTransport) {
    switch packet.purpose {
    case .answer(let requester):
      return answer(packet.peer, packet.messages, requester ?? packet.peer, at: now, through: transport)
    case .credit:
      let bytes = packet.messages.reduce(0) { $0 + LibloWriter.length(of: $1) }
      return limits.credit(bytes, to: packet.peer, now: now)
    case .later(let wait): return hold(packet, for: wait, at: now)
    case .news, .urgent, .refusal, .overheard: break
    }
    settle(packet)
    var datagrams: [[UInt8]] = []
    let tooLong = LibloWriter.datagrams(for: fitted(packet, now), at: packet.time) {
      datagrams.append(Array($0))
    }
    counters.dropped.add(tooLong, ordering: .relaxed)
    guard allows(packet, datagrams.reduce(0) { $0 + $1.count }, now) else {
      counters.withheld.add(datagrams.count, ordering: .relaxed)
      return
    }
    let waiting = held.count { $0.peer == packet.peer }
    var room = min(Self.capacity - held.count, Self.share - waiting)
    var isSlow = waiting > 0
    for bytes in datagrams {
      if !isSlow, attempt(bytes, packet.peer, transport) { continue }
      isSlow = true
      if room > 0 {
        room -= 1
        held.append(Held(bytes: bytes, peer: packet.peer, deadline: now + Self.patience))
      } else {
        counters.dropped.add(1, ordering: .relaxed)
      }
    }
  }

  /// Keeps the messages of a packet until their time. They replace older ones with the same peer and address.
  private mutating func hold(_ packet: OSCOutbox.Packet, for wait: Duration, at now: Instant) {
    let due = now + min(max(wait, .zero), Self.longestWait)
    for message in packet.messages {
      let place = Place(peer: packet.peer, address: message.address)
      guard later[place] != nil || later.count < Self.laterCapacity else {
        counters.dropped.add(1, ordering: .relaxed)
        continue
      }
      later[place] = (message, due)
    }
  }

  /// Sends the messages whose time has come.
  private mutating func sendDue(at now: Instant, through transport: some OSCTransport) {
    let due = later.filter { $0.value.due <= now }.sorted { $0.key.address < $1.key.address }
    for (place, value) in due {
      later[place] = nil
      let packet = OSCOutbox.Packet(messages: [value.message], peer: place.peer, purpose: .news)
      send(packet, at: now, through: transport)
    }
  }

  /// Sends as much of an answer as the asking peer has earned. The rest follows when that peer has sent more.
  private mutating func answer(
    _ peer: OSCPeer, _ messages: [OSCMessage], _ requester: OSCPeer, at now: Instant,
    through transport: some OSCTransport
  ) {
    let sent = messages.prefix { limits.answer(LibloWriter.length(of: $0), to: requester, now: now) }
    for message in sent {
      send(OSCOutbox.Packet(messages: [message], peer: peer, purpose: .urgent), at: now, through: transport)
    }
    owe(peer, messages.dropFirst(sent.count), requester)
  }

  /// Keeps the unsent rest of an answer. It follows those of earlier answers that the same peers asked for and receive, except
  /// their older messages for the same addresses: of a list, that is its earlier rest.
  private mutating func owe(_ peer: OSCPeer, _ rest: ArraySlice<OSCMessage>, _ requester: OSCPeer) {
    guard !rest.isEmpty else { return }
    let newer = Set(rest.map(\.address))
    var all = Array(rest)
    if let index = owed.firstIndex(where: { $0.peer == peer && $0.requester == requester }) {
      all = owed.remove(at: index).rest.filter { !newer.contains($0.address) } + rest
    }
    counters.withheld.add(max(0, all.count - Self.owedMessages), ordering: .relaxed)
    owed.append((peer, requester, Array(all.prefix(Self.owedMessages))))
    if owed.count > Self.owedPeers {
      counters.withheld.add(owed.removeFirst().rest.count, ordering: .relaxed)
    }
  }

  /// Drops older messages for the same addresses: the newer values are sent now.
  private mutating func settle(_ packet: OSCOutbox.Packet) {
    if !later.isEmpty {
      for message in packet.messages { later[Place(peer: packet.peer, address: message.address)] = nil }
    }
    guard owed.contains(where: { $0.peer == packet.peer }) else { return }
    let newer = Set(packet.messages.map(\.address))
    for index in owed.indices where owed[index].peer == packet.peer {
      owed[index].rest.removeAll { newer.contains($0.address) }
    }
    owed.removeAll { $0.rest.isEmpty }
  }

  /// Sends as much of the unsent answer as a peer has earned by its last datagram.
  mutating func pay(_ requester: OSCPeer, at now: Instant, through transport: some OSCTransport) {
    guard let index = owed.firstIndex(where: { $0.requester == requester }) else { return }
    let debt = owed.remove(at: index)
    answer(debt.peer, debt.rest, requester, at: now, through: transport)
  }

  /// The messages. An error is cut to its sender's remaining allowance, which the subscribers that receive it share.
  private mutating func fitted(_ packet: OSCOutbox.Packet, _ now: Instant) -> [OSCMessage] {
    let room: Int
    switch packet.purpose {
    case .news, .urgent, .answer, .credit, .later: return packet.messages
    case .refusal: room = limits.room(forRefusalBy: packet.peer, now: now)
    case .overheard(let peer, let sharers):
      room = limits.room(forOverhearing: peer, now: now) / max(sharers, 1)
    }
    return packet.messages.map { OSCRefusal.message($0, in: room) ?? $0 }
  }

  private mutating func allows(_ packet: OSCOutbox.Packet, _ bytes: Int, _ now: Instant) -> Bool {
    switch packet.purpose {
    // Answers were charged before.
    case .news, .urgent, .answer, .credit, .later: true
    case .refusal: limits.refuse(bytes, by: packet.peer, now: now)
    case .overheard(let peer, _): limits.overhear(bytes, of: peer, now: now)
    }
  }

  /// Sends again what slow peers have not accepted yet, and sends the messages whose time has come.
  mutating func retry(at now: Instant, through transport: some OSCTransport) {
    if !later.isEmpty { sendDue(at: now, through: transport) }
    guard !held.isEmpty else { return }
    var slow: Set<OSCPeer> = []
    var rest: [Held] = []
    for item in held {
      if !slow.contains(item.peer), attempt(item.bytes, item.peer, transport) { continue }
      slow.insert(item.peer)
      if now < item.deadline { rest.append(item) } else { counters.dropped.add(1, ordering: .relaxed) }
    }
    held = rest
  }

  /// - Returns: false if the peer accepts nothing for the moment; true if the datagram was sent, or failed for good.
  private func attempt(_ bytes: [UInt8], _ peer: OSCPeer, _ transport: some OSCTransport) -> Bool {
    let code = bytes.withUnsafeBytes { transport.send($0, to: peer) }
    if code == EAGAIN || code == ENOBUFS { return false }
    if code == 0 {
      counters.sent.add(1, ordering: .relaxed)
    } else {
      counters.dropped.add(1, ordering: .relaxed)
    }
    return true
  }
}
