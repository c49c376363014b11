import Control
import OSC
import Realtime

/// A namespace that is served beside `/tactus` on the same port.
package protocol OSCNamespace: Sendable {
  /// The start of all its addresses, such as `/klick/`.
  var root: String { get }

  /// Handles a message.
  /// - Parameter exchange: the datagram that holds the message. Its faults and the values that it asks for are counted there.
  /// - Returns: what the message asks of the conductor.
  /// - Thread: osc
  func requests(_ message: OSCMessage, _ exchange: OSCExchange) -> [Request]

  /// Takes a report of the conductor's.
  /// - Thread: control
  func observe(_ report: Report)
}
