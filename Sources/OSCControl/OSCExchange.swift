import OSC
import Realtime
import Synchronization

/// One datagram while it is handled: how much it may still request, and the one error that answers it.
///
/// - Thread: any
package final class OSCExchange: Sendable {
  /// How many address patterns a datagram may contain. Each is matched against every address.
  static let patternLimit = 4
  /// How many values a datagram may request: twice the number of all values.
  static let valueLimit = 2 * AddressSpace.endpoints.count { $0.value != nil }
  /// The number of faults after which the rest of a datagram is ignored.
  static let faultLimit = 16

  private struct State {
    var patterns = 0
    var values = 0
    var fault: (address: String, reason: String)?
    var faults = 0
    /// Whether faults are collected, to be reported together.
    var isOpen = true
  }

  /// The sender.
  package let peer: OSCPeer
  /// The sender's name in the schedule: one for each program of this machine, and for each other machine.
  let owner: String
  /// When the datagram was read.
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

  /// Whether the datagram had so many faults that the rest is ignored.
  var isExhausted: Bool { state.withLock { $0.faults >= OSCExchange.faultLimit } }

  /// Counts an address pattern.
  /// - Throws: `OSCFault` if the datagram has contained `patternLimit` patterns already.
  func countPattern() throws(OSCFault) {
    guard state.withLock({ count(1, \.patterns, &$0, OSCExchange.patternLimit) }) else {
      throw OSCFault(reason: "more than \(OSCExchange.patternLimit) patterns in a datagram")
    }
  }

  /// Counts values that the datagram requests.
  /// - Throws: `OSCFault` if they are more than `valueLimit` in total. They are not counted then.
  package func countValues(_ number: Int) throws(OSCFault) {
    guard state.withLock({ count(number, \.values, &$0, OSCExchange.valueLimit) }) else {
      throw OSCFault(reason: "more than \(OSCExchange.valueLimit) values requested in a datagram")
    }
  }

  private func count(
    _ number: Int, _ path: WritableKeyPath<State, Int>, _ state: inout State, _ limit: Int
  ) -> Bool {
    guard state[keyPath: path] + number <= limit else { return false }
    state[keyPath: path] += number
    return true
  }

  /// Counts a fault that its namespace reports itself.
  package func countFault() { state.withLock { $0.faults += 1 } }

  /// Records a fault. Only the first is reported, after the datagram has been handled.
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

  /// Ends the handling of the datagram: reports the first fault, and how many more there were. If there was none, a later fault
  /// is reported at once.
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
