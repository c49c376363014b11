import Realtime

/// Datagrams that wait to be handled, in the order of their arrival, unless the oldest has waited for `patience` or more than
/// `crowd` peers wait.
///
/// In that case the peers take turns, so a peer that sends more than can be handled delays only itself, and an urgent datagram
/// overtakes those of other peers. It never overtakes earlier datagrams of its own peer.
struct OSCInbox {
  struct Datagram {
    /// Empty if it was too long to be read.
    let bytes: [UInt8]
    /// In bytes.
    let length: Int
    let peer: OSCPeer
    let arrival: Instant
    var isUrgent = false
  }

  /// How many bytes may wait. Each datagram counts `overhead` bytes more.
  static let capacity = 262_144
  static let overhead = 256
  /// How long the oldest may wait before the peers take turns.
  static let patience = Duration.milliseconds(10)
  /// How many peers may have waiting datagrams before they take turns.
  static let crowd = 64

  /// The waiting datagrams of one peer.
  private struct Queue {
    private(set) var datagrams = FIFO<(number: Int, datagram: Datagram)>()
    /// In bytes, including overhead.
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
  /// How many datagrams have arrived since it was last empty.
  private var count = 0

  var isEmpty: Bool { size == 0 }

  /// Adds a datagram. If there is no room, drops the oldest of the peer with most bytes waiting.
  /// - Returns: how many datagrams were dropped.
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

  /// Removes and returns what to handle next: the oldest datagram, or, if the peers take turns, an urgent one (if there is one)
  /// and the oldest of the next peer.
  mutating func take(now: Instant) -> [Datagram] {
    let taken = oldest(now).flatMap { pop($0) }.map { [$0] } ?? takeTurns()
    if isEmpty { self = OSCInbox() }
    return taken
  }

  /// The peer with the oldest datagram; nil if the peers take turns.
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
    // The queue may contain a peer twice, or one whose next datagram is no longer urgent. In a flood without pauses these would
    // accumulate.
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

/// A first-in, first-out queue. Its memory is compacted when more than half of its elements have been removed.
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
