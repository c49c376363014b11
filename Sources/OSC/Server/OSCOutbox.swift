import Realtime
import Synchronization

/// A bounded queue of packets to be sent. Any thread fills it, the osc thread empties it.
///
/// When it is full, the peer with the most packets loses its oldest: the newest tell the present state, and no peer's backlog
/// costs another peer anything. Urgent packets have the same room again, for themselves.
package final class OSCOutbox: Sendable {
  /// Why messages are sent.
  package enum Purpose: Hashable, Sendable {
    /// Answers a peer, within the allowance of the one who asked; nil where it asked itself.
    case answer(askedBy: OSCPeer? = nil)
    /// Sends nothing: a peer that has subscribed need not earn an answer as long as the messages.
    case credit
    /// Tells a subscriber what happens.
    case news
    /// Beats, starts and stops, and the answers to pings.
    case urgent
    /// Tells a peer of something after a while, unless the same address is told it before.
    case later(by: Duration)
    /// Telling a peer of its fault, within its allowance.
    case refusal
    /// Telling a subscriber of another peer's fault, within what that peer has earned.
    /// `sharers`: how many are still to be told of it, this one included.
    case overheard(of: OSCPeer, sharers: Int)
  }

  /// Messages that travel together to one peer.
  struct Packet: Sendable {
    var messages: [OSCMessage]
    /// The time of the bundle in which the messages travel; nil if each travels on its own.
    var time: OSCTime?
    var peer: OSCPeer
    var purpose = Purpose.answer()
  }

  private struct Lane {
    private(set) var packets: [(number: Int, packet: Packet)] = []
    private var counts: [OSCPeer: Int] = [:]

    /// Adds a packet; returns how many were lost for it.
    mutating func add(_ packet: Packet, number: Int, capacity: Int) -> Int {
      let isFull = packets.count == capacity
      counts[packet.peer, default: 0] += 1
      packets.append((number, packet))
      guard isFull, let most = counts.values.max() else { return 0 }
      let crowded = counts[packet.peer] == most ? packet.peer : counts.first { $0.value == most }?.key
      if let index = packets.firstIndex(where: { $0.packet.peer == crowded }) {
        forget(packets.remove(at: index).packet)
      }
      return 1
    }

    /// Takes the oldest packets out.
    mutating func take(_ limit: Int) -> ArraySlice<(number: Int, packet: Packet)> {
      let taken = packets.prefix(limit)
      packets.removeFirst(taken.count)
      for (_, packet) in taken { forget(packet) }
      return taken
    }

    private mutating func forget(_ packet: Packet) {
      let count = counts[packet.peer, default: 1] - 1
      counts[packet.peer] = count > 0 ? count : nil
    }
  }

  private struct State {
    var urgent = Lane()
    var others = Lane()
    var number = 0
    var isOpen = true

    var isEmpty: Bool { urgent.packets.isEmpty && others.packets.isEmpty }
  }

  /// How many packets that are not urgent are taken out at a time.
  static let batch = 16

  /// Readable while a packet waits or the outbox is closed.
  let wakeup = Wakeup()
  private let capacity: Int
  private let state = Mutex(State())

  /// Makes an outbox that wakes the osc thread.
  /// - Parameter capacity: how many packets may wait, and how many urgent ones besides.
  init(capacity: Int) throws(OSCStartError) {
    self.capacity = capacity
    guard wakeup.isOpen else { throw .system("OSC wake-up", wakeup.error) }
  }

  /// Makes an outbox without an osc thread, which needs no descriptor.
  init(wakingNobodyWithCapacity capacity: Int) { self.capacity = capacity }

  /// Adds a packet and wakes the osc thread. Returns how many packets were lost: 0, or 1 when it was full or closed.
  ///
  /// - Thread: any.
  func push(_ packet: Packet) -> Int {
    state.withLock { state in
      guard state.isOpen else { return 1 }
      if state.isEmpty { wakeup.post() }
      state.number += 1
      return packet.purpose == .urgent
        ? state.urgent.add(packet, number: state.number, capacity: capacity)
        : state.others.add(packet, number: state.number, capacity: capacity)
    }
  }

  /// Takes out all that is urgent and a batch of the rest, in order; nil once the outbox is closed.
  ///
  /// - Thread: osc.
  func drain() -> [Packet]? {
    state.withLock { state in
      wakeup.clear()
      let taken = state.urgent.take(.max) + state.others.take(OSCOutbox.batch)
      if !state.isEmpty { wakeup.post() }
      return state.isOpen ? taken.sorted { $0.number < $1.number }.map(\.packet) : nil
    }
  }

  /// Closes the outbox and wakes the osc thread. Waiting packets are lost.
  ///
  /// - Thread: any.
  func close() {
    state.withLock { state in
      state.isOpen = false
      wakeup.post()
    }
  }
}
