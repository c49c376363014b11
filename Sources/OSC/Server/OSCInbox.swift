import Realtime

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
    let arrival: Instant
    var isUrgent = false
  }

  /// How many bytes may wait, each datagram with `overhead`.
  static let capacity = 262_144
  static let overhead = 256
  /// How long the oldest may have waited before the peers take turns.
  static let patience = Duration.milliseconds(10)
  /// How many peers may wait before they take turns.
  static let crowd = 64

  /// What waits of one peer.
  private struct Queue {
    private(set) var datagrams = FIFO<(number: Int, datagram: Datagram)>()
    /// Bytes.
    private(set) var size = 0

    /// Whether the next datagram is urgent.
    var isHurried: Bool { datagrams.first?.datagram.isUrgent == true }

    /// - Returns: how many datagrams wait now.
    mutating func append(_ datagram: Datagram, number: Int) -> Int {
      datagrams.append((number, datagram))
      size += OSCInbox.size(of: datagram)
      return datagrams.count
    }

    /// - Returns: the next datagram, and whether the one behind it is urgent.
    mutating func pop() -> (datagram: Datagram, isHurried: Bool)? {
      guard let datagram = datagrams.popFirst()?.datagram else { return nil }
      size -= OSCInbox.size(of: datagram)
      return (datagram, isHurried)
    }
  }

  private var queues: [OSCPeer: Queue] = [:]
  /// Each peer that has a queue, once.
  private var turns = FIFO<OSCPeer>()
  /// Peers whose next datagram is urgent, or was.
  private(set) var hurried = FIFO<OSCPeer>()
  private var size = 0
  /// How many datagrams have come since it was empty.
  private var count = 0

  var isEmpty: Bool { size == 0 }

  /// Adds a datagram; returns how many were lost for it: the oldest of the peer of whom most bytes wait.
  mutating func add(_ datagram: Datagram) -> Int {
    var lost = 0
    while size + OSCInbox.size(of: datagram) > OSCInbox.capacity,
      let heaviest = queues.max(by: { $0.value.size < $1.value.size })?.key,
      queues[heaviest]?.size ?? 0 > 0
    {
      _ = pop(heaviest)
      lost += 1
    }
    let peers = queues.count
    let waiting = queues[datagram.peer, default: Queue()].append(datagram, number: count)
    if queues.count > peers { turns.append(datagram.peer) }
    count += 1
    size += OSCInbox.size(of: datagram)
    if waiting == 1, datagram.isUrgent { hurry(datagram.peer) }
    return lost
  }

  /// Takes what is to be dealt with next: the oldest; where that has waited for long, something urgent and the next peer's
  /// oldest.
  mutating func take(now: Instant) -> [Datagram] {
    let taken = oldest(now).flatMap { pop($0) }.map { [$0] } ?? takeTurns()
    if isEmpty { self = OSCInbox() }
    return taken
  }

  /// The peer whose datagram is the oldest; nil where there is a crowd, or it has waited for long.
  private func oldest(_ now: Instant) -> OSCPeer? {
    guard queues.count <= OSCInbox.crowd else { return nil }
    var oldest: (number: Int, datagram: Datagram)?
    for queue in queues.values {
      guard let first = queue.datagrams.first, first.number < oldest?.number ?? .max else { continue }
      oldest = first
    }
    return oldest.flatMap { $0.datagram.arrival + OSCInbox.patience > now ? $0.datagram.peer : nil }
  }

  private mutating func takeTurns() -> [Datagram] {
    var taken: [Datagram] = []
    while taken.isEmpty, let peer = hurried.popFirst() {
      if queues[peer]?.isHurried == true, let datagram = pop(peer) { taken.append(datagram) }
    }
    while let peer = turns.popFirst() {
      guard let datagram = pop(peer) else {
        queues[peer] = nil
        continue
      }
      taken.append(datagram)
      if queues[peer]?.datagrams.isEmpty == true { queues[peer] = nil } else { turns.append(peer) }
      break
    }
    return taken
  }

  private mutating func pop(_ peer: OSCPeer) -> Datagram? {
    guard let (datagram, isHurried) = queues[peer]?.pop() else { return nil }
    size -= OSCInbox.size(of: datagram)
    if isHurried { hurry(peer) }
    return datagram
  }

  /// Notes that the next datagram of a peer is urgent.
  private mutating func hurry(_ peer: OSCPeer) {
    hurried.append(peer)
    // A peer may be there more than once, or no more with cause. In a flood that never pauses these would grow in number.
    guard hurried.count > 2 * queues.count + 16 else { return }
    var seen: Set<OSCPeer> = []
    var rest = FIFO<OSCPeer>()
    while let peer = hurried.popFirst() {
      if queues[peer]?.isHurried == true, seen.insert(peer).inserted { rest.append(peer) }
    }
    hurried = rest
  }

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
