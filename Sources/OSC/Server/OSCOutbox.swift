import Realtime
import Synchronization

/// A bounded queue of packets to be sent. Any thread adds packets, the osc thread removes them.
///
/// When it is full, the peer with the most packets loses its oldest: the newest contain the present state, and one peer's
/// backlog costs other peers nothing. Urgent packets have as much room of their own.
package final class OSCOutbox: Sendable {
  /// Why messages are sent.
  package enum Purpose: Hashable, Sendable {
    /// Answers a peer, within the allowance of the peer that asked; nil if that is the receiver.
    case answer(askedBy: OSCPeer? = nil)
    /// Sends nothing, and credits the peer with the length of the messages: a subscriber need not earn its first values, nor
    /// a program of this machine its lists.
    case credit
    /// Reports changes to a subscriber.
    case news
    /// Beats, starts and stops, and the answers to pings.
    case urgent
    /// Sends messages after a delay of at most 1 s, unless the peer is sent a newer message for the same address before.
    case later(by: Duration)
    /// Reports a fault to the peer that caused it, within its allowance.
    case refusal
    /// Reports another peer's fault to a subscriber, within what that peer has earned.
    /// `sharers`: how many subscribers still have to receive it, this one included.
    case overheard(of: OSCPeer, sharers: Int)
  }

  /// Messages that are sent together to one peer.
  struct Packet: Sendable {
    var messages: [OSCMessage]
    /// The time of the bundle that contains the messages; nil to send each on its own.
    var time: OSCTime?
    var peer: OSCPeer
    var purpose = Purpose.answer()
  }

  private struct Lane {
    private(set) var packets: [(number: Int, packet: Packet)] = []
    private var counts: [OSCPeer: Int] = [:]

    /// Adds a packet.
    /// - Returns: how many packets were dropped: 0 or 1.
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

    /// Removes and returns the oldest packets, at most `limit`.
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

  /// How many packets that are not urgent one `drain` removes.
  static let batch = 16

  /// Its descriptor is readable while a packet waits, and once the outbox is closed.
  let wakeup = Wakeup()
  private let capacity: Int
  private let state = Mutex(State())

  /// Makes an outbox that wakes the osc thread.
  /// - Parameter capacity: how many packets may wait, and as many urgent ones.
  /// - Throws: `OSCStartError` if the system has no descriptor for the wake-up.
  init(capacity: Int) throws(OSCStartError) {
    self.capacity = capacity
    guard wakeup.isOpen else { throw .system("OSC wake-up", wakeup.error) }
  }

  /// Makes an outbox for use without an osc thread. It needs no descriptor.
  init(wakingNobodyWithCapacity capacity: Int) { self.capacity = capacity }

  /// Adds a packet and wakes the osc thread.
  ///
  /// - Returns: how many packets were dropped: 0, or 1 if the outbox was full or closed.
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

  /// Removes and returns all urgent packets and a batch of the others, oldest first; nil once the outbox is closed.
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

  /// Closes the outbox and wakes the osc thread. Drops all waiting packets.
  ///
  /// - Thread: any.
  func close() {
    state.withLock { state in
      state.isOpen = false
      wakeup.post()
    }
  }
}
