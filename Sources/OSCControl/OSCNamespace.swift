import Control
import OSC
import Realtime

/// A namespace that is served on the same port as `/tactus`.
package protocol OSCNamespace: Sendable {
  /// The prefix of all its addresses, such as `/klick/`.
  var root: String { get }

  /// Handles a message.
  /// - Parameter exchange: the datagram with the message. It counts faults and requested values.
  /// - Returns: the requests to the conductor.
  /// - Thread: osc
  func requests(_ message: OSCMessage, _ exchange: OSCExchange) -> [Request]

  /// Handles a report from the conductor.
  /// - Thread: control
  func observe(_ report: Report)
}
