import OSC
import Realtime
import Synchronization

/// One datagram while it is handled: what it may still ask for, and the one error that answers it.
package final class OSCExchange: Sendable {
  /// How many address patterns a datagram may hold: each is matched against every address.
  static let patternLimit = 4
  /// How many values a datagram may ask for: all of them, twice.
  static let valueLimit = 2 * AddressSpace.endpoints.count { $0.value != nil }
  /// After how many faults the rest of a datagram is ignored.
  static let faultLimit = 16

  private struct State {
    var patterns = 0
    var values = 0
    var fault: (address: String, reason: String)?
    var faults = 0
    /// Whether faults are collected, to be reported together.
    var isOpen = true
  }

  package let peer: OSCPeer
  /// The sender as the schedule knows it: a program of this machine, or another machine.
  let owner: String
  /// When it was read.
  package let time: Instant
  private let report: @Sendable (_ address: String, _ reason: String, _ peer: OSCPeer) -> Void
  private let state = Mutex(State())

  /// - Parameter report: sends the error. Thread: any.
  init(
    with peer: OSCPeer, owner: String, at time: Instant,
    report: @escaping @Sendable (_ address: String, _ reason: String, _ peer: OSCPeer) -> Void
  ) {
    self.peer = peer
    self.owner = owner
    self.time = time
    self.report = report
  }

  /// Whether it had so many faults that the rest is ignored.
  var isExhausted: Bool { state.withLock { $0.faults >= OSCExchange.faultLimit } }

  /// Notes that it holds a pattern.
  func countPattern() throws(OSCFault) {
    guard state.withLock({ count(1, \.patterns, &$0, OSCExchange.patternLimit) }) else {
      throw OSCFault(reason: "more than \(OSCExchange.patternLimit) patterns in a datagram")
    }
  }

  /// Notes that it asks for values.
  package func countValues(_ number: Int) throws(OSCFault) {
    guard state.withLock({ count(number, \.values, &$0, OSCExchange.valueLimit) }) else {
      throw OSCFault(reason: "more than \(OSCExchange.valueLimit) values asked for in a datagram")
    }
  }

  private func count(
    _ number: Int, _ path: WritableKeyPath<State, Int>, _ state: inout State, _ limit: Int
  ) -> Bool {
    guard state[keyPath: path] + number <= limit else { return false }
    state[keyPath: path] += number
    return true
  }

  /// Notes a fault of which its namespace tells.
  package func countFault() { state.withLock { $0.faults += 1 } }

  /// Notes a fault. Only the first is reported, when the datagram has been handled.
  /// - Thread: any.
  func refuse(_ address: String, _ reason: String) {
    let isToBeTold = state.withLock { state in
      state.faults += 1
      guard state.fault == nil else { return false }
      state.fault = (address, reason)
      return !state.isOpen
    }
    if isToBeTold { report(address, reason, peer) }
  }

  /// Reports the first fault so far, and how many more there were. If there was none, reports the next one at once.
  func close() {
    let (fault, more) = state.withLock { state in
      state.isOpen = false
      return (state.fault, state.faults - 1)
    }
    if let (address, reason) = fault {
      report(address, more > 0 ? "\(reason) (and \(more) more)" : reason, peer)
    }
  }
}
