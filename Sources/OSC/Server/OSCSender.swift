import Glibc
import Realtime

/// Sends what was taken from the outbox.
///
/// A peer that accepts nothing for the moment is retried, in order, for `patience`; then its datagrams are dropped. It never
/// delays the others. Answers and errors keep to the peers' allowances. A peer gets the rest of an answer when it has earned it.
///
/// - Thread: osc.
struct OSCSender {
  /// How long a slow peer is retried.
  static let patience = Duration.milliseconds(500)
  /// The time between two attempts.
  static let interval = Duration.milliseconds(5)
  /// How many datagrams may wait for slow peers, and for one of them: all values, each a datagram, and some more.
  static let capacity = 2_048
  static let share = 512

  private struct Held {
    var bytes: [UInt8]
    var peer: OSCPeer
    var deadline: Instant
  }

  /// How many messages may wait for their time, and the longest wait.
  static let laterCapacity = 1_024
  static let longestWait = Duration.seconds(1)

  private let counters: OSCCounters
  private var held: [Held] = []
  /// Messages that wait for their time.
  private var later: [Place: (message: OSCMessage, due: Instant)] = [:]

  /// A peer's view of an address.
  private struct Place: Hashable {
    let peer: OSCPeer
    let address: String
  }

  private var allowances = OSCAllowances()
  /// The rest of each peer's last answer, the longest owed first.
  private var owed: [(peer: OSCPeer, asker: OSCPeer, rest: [OSCMessage])] = []
  /// How many peers may be owed something, and how many messages each.
  private static let owedPeers = 64
  private static let owedMessages = 512

  init(counters: OSCCounters) {
    self.counters = counters
  }

  /// Whether a slow peer is to be tried again, or something may be due, after `interval`.
  var isHolding: Bool { !held.isEmpty || !later.isEmpty }

  /// Notes that a peer has sent so many bytes.
  mutating func receive(_ bytes: Int, from peer: OSCPeer, at now: Instant) {
    allowances.receive(bytes, from: peer, now: now)
  }

  mutating func send(_ packet: OSCOutbox.Packet, at now: Instant, through transport: some OSCTransport) {
    switch packet.purpose {
    case .answer(let asker):
      return answer(packet.peer, packet.messages, asker ?? packet.peer, at: now, through: transport)
    case .credit:
      let bytes = packet.messages.reduce(0) { $0 + LibloWriter.length(of: $1) }
      return allowances.credit(bytes, to: packet.peer, now: now)
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

  /// Has the messages of a packet wait, in place of older ones of theirs.
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

  /// Sends what has waited for its time.
  private mutating func sendDue(at now: Instant, through transport: some OSCTransport) {
    let due = later.filter { $0.value.due <= now }.sorted { $0.key.address < $1.key.address }
    for (place, value) in due {
      later[place] = nil
      let packet = OSCOutbox.Packet(messages: [value.message], peer: place.peer, purpose: .news)
      send(packet, at: now, through: transport)
    }
  }

  /// Answers a peer as far as the one who asked has earned it; the rest follows when that one has sent more.
  private mutating func answer(
    _ peer: OSCPeer, _ messages: [OSCMessage], _ asker: OSCPeer, at now: Instant,
    through transport: some OSCTransport
  ) {
    let sent = messages.prefix { allowances.answer(LibloWriter.length(of: $0), to: asker, now: now) }
    for message in sent {
      send(OSCOutbox.Packet(messages: [message], peer: peer, purpose: .urgent), at: now, through: transport)
    }
    let rest = messages.dropFirst(sent.count).prefix(Self.owedMessages)
    // A short answer that was sent whole leaves what is owed of a longer one.
    owed.removeAll { $0.peer == peer && (!rest.isEmpty || $0.rest.isEmpty) }
    if !rest.isEmpty { owed.append((peer, asker, Array(rest))) }
    if owed.count > Self.owedPeers {
      counters.withheld.add(owed.removeFirst().rest.count, ordering: .relaxed)
    }
  }

  /// Forgets what is owed of an older value: the newer one goes out now.
  private mutating func settle(_ packet: OSCOutbox.Packet) {
    if !later.isEmpty {
      for message in packet.messages { later[Place(peer: packet.peer, address: message.address)] = nil }
    }
    guard let index = owed.firstIndex(where: { $0.peer == packet.peer }) else { return }
    let newer = Set(packet.messages.map(\.address))
    owed[index].rest.removeAll { newer.contains($0.address) }
  }

  /// Sends what a peer that has just sent something has earned of its last answer.
  mutating func pay(_ asker: OSCPeer, at now: Instant, through transport: some OSCTransport) {
    guard let debt = owed.first(where: { $0.asker == asker }) else { return }
    answer(debt.peer, debt.rest, asker, at: now, through: transport)
  }

  /// The messages, an error cut to what its sender has left. Those who overhear it share that.
  private mutating func fitted(_ packet: OSCOutbox.Packet, _ now: Instant) -> [OSCMessage] {
    let room: Int
    switch packet.purpose {
    case .news, .urgent, .answer, .credit, .later: return packet.messages
    case .refusal: room = allowances.room(forRefusalBy: packet.peer, now: now)
    case .overheard(let peer, let sharers):
      room = allowances.room(forOverhearing: peer, now: now) / max(sharers, 1)
    }
    return packet.messages.map { OSCRefusal.message($0, in: room) ?? $0 }
  }

  private mutating func allows(_ packet: OSCOutbox.Packet, _ bytes: Int, _ now: Instant) -> Bool {
    switch packet.purpose {
    // Answers have been paid for before.
    case .news, .urgent, .answer, .credit, .later: true
    case .refusal: allowances.refuse(bytes, by: packet.peer, now: now)
    case .overheard(let peer, _): allowances.overhear(bytes, of: peer, now: now)
    }
  }

  /// Tries what slow peers have not taken yet, and sends what is due.
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

  /// - Returns: whether it was sent, or is lost for good; false if the peer accepts nothing for the moment.
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
