/// Datagrams that wait to be dealt with: in the order in which they came, unless one had to wait for long.
///
/// Then the peers take turns, so that whoever pours in more than can be dealt with waits behind itself alone, and a datagram
/// that is urgent overtakes those of other peers. It never overtakes those of its own.
struct OSCInbox {
  struct Datagram {
    /// Empty where it was too long to be read.
    let bytes: [UInt8]
    let length: Int
    let peer: OSCPeer
    /// When it came, in nanoseconds.
    let arrival: UInt64
    var isUrgent = false
  }

  /// How many bytes may wait, each datagram with `overhead`.
  static let capacity = 262_144
  static let overhead = 256
  /// How long the oldest may have waited before the peers take turns, in nanoseconds.
  static let patience: UInt64 = 10_000_000
  /// How many peers may wait before they take turns.
  static let crowd = 64

  private var queues: [OSCPeer: FIFO<(number: Int, datagram: Datagram)>] = [:]
  /// Each peer that has a queue, once.
  private var turns = FIFO<OSCPeer>()
  /// Peers whose next datagram is urgent, or was.
  private(set) var hurried = FIFO<OSCPeer>()
  private var size = 0
  /// How many bytes wait of each peer of whom any do.
  private var sizes: [OSCPeer: Int] = [:]
  /// How many datagrams have come since it was empty.
  private var count = 0

  var isEmpty: Bool { size == 0 }

  /// Adds a datagram; returns how many were lost for it: the oldest of the peer of whom most bytes wait.
  mutating func add(_ datagram: Datagram) -> Int {
    var lost = 0
    while size + OSCInbox.size(of: datagram) > OSCInbox.capacity,
      let heaviest = sizes.max(by: { $0.value < $1.value })?.key
    {
      _ = pop(heaviest)
      lost += 1
    }
    if queues[datagram.peer] == nil { turns.append(datagram.peer) }
    queues[datagram.peer, default: FIFO()].append((count, datagram))
    count += 1
    size += OSCInbox.size(of: datagram)
    sizes[datagram.peer, default: 0] += OSCInbox.size(of: datagram)
    if queues[datagram.peer]?.count == 1 { hurry(datagram.peer) }
    return lost
  }

  /// Takes what is to be dealt with next: the oldest; where that has waited for long, something urgent and the next peer's
  /// oldest.
  mutating func take(now: UInt64) -> [Datagram] {
    let taken = oldest(now).flatMap { pop($0) }.map { [$0] } ?? takeTurns()
    if isEmpty { self = OSCInbox() }
    return taken
  }

  /// The peer whose datagram is the oldest; nil where there is a crowd, or it has waited for long.
  private func oldest(_ now: UInt64) -> OSCPeer? {
    guard queues.count <= OSCInbox.crowd else { return nil }
    let first = queues.values.compactMap(\.first).min { $0.number < $1.number }
    return first.flatMap { $0.datagram.arrival + OSCInbox.patience > now ? $0.datagram.peer : nil }
  }

  private mutating func takeTurns() -> [Datagram] {
    var taken: [Datagram] = []
    while taken.isEmpty, let peer = hurried.popFirst() {
      if isHurried(peer), let datagram = pop(peer) { taken.append(datagram) }
    }
    while let peer = turns.popFirst() {
      guard let datagram = pop(peer) else {
        queues[peer] = nil
        continue
      }
      taken.append(datagram)
      if queues[peer]?.isEmpty == true { queues[peer] = nil } else { turns.append(peer) }
      break
    }
    return taken
  }

  private mutating func pop(_ peer: OSCPeer) -> Datagram? {
    guard let datagram = queues[peer]?.popFirst()?.datagram else { return nil }
    size -= OSCInbox.size(of: datagram)
    let rest = sizes[peer, default: 0] - OSCInbox.size(of: datagram)
    sizes[peer] = rest > 0 ? rest : nil
    hurry(peer)
    return datagram
  }

  private mutating func hurry(_ peer: OSCPeer) {
    guard isHurried(peer) else { return }
    hurried.append(peer)
    // A peer may be there more than once, or no more with cause. In a flood that never pauses these would grow in number.
    guard hurried.count > 2 * queues.count + 16 else { return }
    var seen: Set<OSCPeer> = []
    var rest = FIFO<OSCPeer>()
    while let peer = hurried.popFirst() {
      if isHurried(peer), seen.insert(peer).inserted { rest.append(peer) }
    }
    hurried = rest
  }

  private func isHurried(_ peer: OSCPeer) -> Bool { queues[peer]?.first?.datagram.isUrgent == true }

  private static func size(of datagram: Datagram) -> Int { datagram.bytes.count + overhead }
}

/// A queue; what has been taken out is forgotten now and then.
struct FIFO<Element> {
  private var items: [Element] = []
  private var taken = 0

  var count: Int { items.count - taken }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : items[taken] }

  mutating func append(_ element: Element) { items.append(element) }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer {
      taken += 1
      if taken * 2 > items.count {
        items.removeFirst(taken)
        taken = 0
      }
    }
    return items[taken]
  }
}
