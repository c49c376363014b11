import CLiblo
import Glibc
import Synchronization

/// What waits to be sent: a bounded queue that any thread fills and the osc thread empties.
///
/// When it is full the oldest packet goes, since the newest says how things are now.
final class OSCOutbox: Sendable {
  /// Messages that travel together to one peer.
  struct Packet: Sendable {
    var messages: [OSCMessage]
    /// Nil sends each message on its own, else they go in a bundle with this time.
    var time: OSCTime?
    var peer: OSCPeer
  }

  private struct State {
    var packets: [Packet] = []
    /// Where the oldest packet lies: 0 until it wraps.
    var oldest = 0
    var isOpen = true
  }

  /// Readable while something waits or the outbox was closed.
  let wake: Int32
  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) throws(OSCStartError) {
    self.capacity = capacity
    wake = tactus_eventfd()
    guard wake >= 0 else { throw .system("OSC wake-up", errno) }
  }

  deinit { Glibc.close(wake) }

  /// Adds a packet and wakes the osc thread. Returns how many packets were lost: 0, or 1 when it was full or closed.
  ///
  /// - Thread: any.
  func push(_ packet: Packet) -> Int {
    state.withLock { state in
      guard state.isOpen else { return 1 }
      guard state.packets.count == capacity else {
        state.packets.append(packet)
        if state.packets.count == 1 { signal() }
        return 0
      }
      state.packets[state.oldest] = packet
      state.oldest = (state.oldest + 1) % capacity
      return 1
    }
  }

  /// Takes all that waits, in order; nil once the outbox is closed.
  ///
  /// - Thread: osc.
  func drain() -> [Packet]? {
    state.withLock { state in
      var count: UInt64 = 0
      read(wake, &count, MemoryLayout<UInt64>.size)
      let packets = Array(state.packets[state.oldest...] + state.packets[..<state.oldest])
      state.packets.removeAll()
      state.oldest = 0
      return state.isOpen ? packets : nil
    }
  }

  /// Ends it: what waits is lost, and the osc thread wakes to find it closed.
  ///
  /// - Thread: any.
  func close() {
    state.withLock { state in
      state.isOpen = false
      signal()
    }
  }

  private func signal() {
    var one: UInt64 = 1
    write(wake, &one, MemoryLayout<UInt64>.size)
  }
}
