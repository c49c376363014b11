import Glibc
import Realtime

/// Sends what was taken from the outbox, through the socket that belongs to the peer.
///
/// A peer that takes in nothing for the moment is tried again, in order, for `patience`; then what it should have had
/// is dropped. It never holds up the others. Answers and errors keep to the peers' allowances; what a remote peer has not
/// earned yet of an answer is sent when it has.
///
/// - Thread: osc.
struct OSCSender {
  /// How long a slow peer is waited for, in milliseconds.
  static let patience: Int64 = 500
  /// How often it is tried, in milliseconds.
  static let interval: Int32 = 5
  /// How many datagrams may wait for slow peers, and for one of them.
  static let capacity = 512
  static let share = 128

  private struct Held {
    var bytes: [UInt8]
    var peer: OSCPeer
    var deadline: Int64
  }

  private let counters: OSCCounters
  private var held: [Held] = []
  private var allowances = OSCAllowances()
  /// The rest of each remote peer's last answer, the longest owed first.
  private var owed: [(peer: OSCPeer, rest: [OSCMessage])] = []
  /// How many peers may be owed something, and how many messages each.
  private static let owedPeers = 64
  private static let owedMessages = 256

  init(counters: OSCCounters) {
    self.counters = counters
  }

  /// How long the loop may sleep before `retry` is due, in milliseconds; -1 for ever.
  var timeout: Int32 { held.isEmpty ? -1 : Self.interval }

  /// Notes that a peer has sent so many bytes.
  mutating func hear(_ bytes: Int, from peer: OSCPeer) {
    allowances.hear(bytes, from: peer, now: monotonicNow())
  }

  mutating func send(_ packet: OSCOutbox.Packet, through sockets: OSCSockets) {
    if packet.purpose == .answer, packet.peer.remoteAddress != nil {
      return answer(packet.peer, packet.messages, through: sockets)
    }
    settle(packet)
    var datagrams: [[UInt8]] = []
    let tooLong = LibloWriter.datagrams(for: fitted(packet), at: packet.time) { datagrams.append(Array($0)) }
    counters.dropped.add(tooLong, ordering: .relaxed)
    guard allows(packet, datagrams.reduce(0) { $0 + $1.count }) else {
      counters.withheld.add(datagrams.count, ordering: .relaxed)
      return
    }
    let waiting = held.count { $0.peer == packet.peer }
    var room = min(Self.capacity - held.count, Self.share - waiting)
    var isSlow = waiting > 0
    for bytes in datagrams {
      if !isSlow, attempt(bytes, packet.peer, sockets) { continue }
      isSlow = true
      if room > 0 {
        room -= 1
        held.append(Held(bytes: bytes, peer: packet.peer, deadline: Self.milliseconds() + Self.patience))
      } else {
        counters.dropped.add(1, ordering: .relaxed)
      }
    }
  }

  /// Answers a remote peer as far as it has earned it; the rest follows when it has sent more.
  private mutating func answer(_ peer: OSCPeer, _ messages: [OSCMessage], through sockets: OSCSockets) {
    let now = monotonicNow()
    let sent = messages.prefix { allowances.answer(LibloWriter.length(of: $0), to: peer, now: now) }
    for message in sent {
      send(OSCOutbox.Packet(messages: [message], peer: peer, purpose: .urgent), through: sockets)
    }
    let rest = messages.dropFirst(sent.count).prefix(Self.owedMessages)
    owed.removeAll { $0.peer == peer }
    if !rest.isEmpty { owed.append((peer, Array(rest))) }
    if owed.count > Self.owedPeers {
      counters.withheld.add(owed.removeFirst().rest.count, ordering: .relaxed)
    }
  }

  /// Forgets what is owed of an older value: the newer one goes out now.
  private mutating func settle(_ packet: OSCOutbox.Packet) {
    guard let index = owed.firstIndex(where: { $0.peer == packet.peer }) else { return }
    let newer = Set(packet.messages.map(\.address))
    owed[index].rest.removeAll { newer.contains($0.address) }
  }

  /// Sends what a peer that has just sent something has earned of its last answer.
  mutating func pay(_ peer: OSCPeer, through sockets: OSCSockets) {
    guard let rest = owed.first(where: { $0.peer == peer })?.rest else { return }
    answer(peer, rest, through: sockets)
  }

  /// The messages, an error cut to what its sender has left. Those who overhear it share that.
  private mutating func fitted(_ packet: OSCOutbox.Packet) -> [OSCMessage] {
    let room: Int
    switch packet.purpose {
    case .news, .urgent, .answer: return packet.messages
    case .refusal: room = allowances.room(forRefusalBy: packet.peer, now: monotonicNow())
    case .overheard(let peer, let sharers):
      room = allowances.room(forOverhearing: peer, now: monotonicNow()) / max(sharers, 1)
    }
    return packet.messages.map { OSCRefusal.message($0, in: room) ?? $0 }
  }

  private mutating func allows(_ packet: OSCOutbox.Packet, _ bytes: Int) -> Bool {
    switch packet.purpose {
    case .news, .urgent: true
    case .answer: allowances.answer(bytes, to: packet.peer, now: monotonicNow())
    case .refusal: allowances.refuse(bytes, by: packet.peer, now: monotonicNow())
    case .overheard(let peer, _): allowances.overhear(bytes, of: peer, now: monotonicNow())
    }
  }

  /// Tries what slow peers have not taken yet.
  mutating func retry(through sockets: OSCSockets) {
    guard !held.isEmpty else { return }
    let now = Self.milliseconds()
    var slow: Set<OSCPeer> = []
    var rest: [Held] = []
    for item in held {
      if !slow.contains(item.peer), attempt(item.bytes, item.peer, sockets) { continue }
      slow.insert(item.peer)
      if now < item.deadline { rest.append(item) } else { counters.dropped.add(1, ordering: .relaxed) }
    }
    held = rest
  }

  /// Whether it is settled: sent, or lost for good. False when the peer takes nothing for the moment.
  private func attempt(_ bytes: [UInt8], _ peer: OSCPeer, _ sockets: OSCSockets) -> Bool {
    let code = bytes.withUnsafeBytes { sockets.send($0, to: peer) }
    if code == EAGAIN || code == ENOBUFS { return false }
    if code == 0 {
      counters.sent.add(1, ordering: .relaxed)
    } else {
      counters.dropped.add(1, ordering: .relaxed)
    }
    return true
  }

  private static func milliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
