import Glibc

/// Sends what was taken from the outbox, through the socket that belongs to the peer.
///
/// A peer that takes in nothing for the moment is tried again, in order, for `patience`; then what it should have had
/// is dropped. It never holds up the others.
///
/// - Thread: osc.
struct OSCSender {
  /// How long a slow peer is waited for, in milliseconds.
  static let patience: Int64 = 500
  /// How often it is tried, in milliseconds.
  static let interval: Int32 = 5
  /// How many datagrams may wait for slow peers.
  static let capacity = 512

  private struct Held {
    var bytes: [UInt8]
    var peer: OSCPeer
    var deadline: Int64
  }

  private let counters: OSCCounters
  private var held: [Held] = []

  init(counters: OSCCounters) {
    self.counters = counters
  }

  /// How long the loop may sleep before `retry` is due, in milliseconds; -1 for ever.
  var timeout: Int32 { held.isEmpty ? -1 : Self.interval }

  mutating func send(_ packet: OSCOutbox.Packet, through sockets: OSCSockets) {
    var datagrams: [[UInt8]] = []
    let tooLong = LibloWriter.datagrams(for: packet.messages, at: packet.time) { datagrams.append(Array($0)) }
    counters.dropped.add(tooLong, ordering: .relaxed)
    var isSlow = held.contains { $0.peer == packet.peer }
    for bytes in datagrams {
      if !isSlow, attempt(bytes, packet.peer, sockets) { continue }
      isSlow = true
      if held.count < Self.capacity {
        held.append(Held(bytes: bytes, peer: packet.peer, deadline: Self.milliseconds() + Self.patience))
      } else {
        counters.dropped.add(1, ordering: .relaxed)
      }
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
