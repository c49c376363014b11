import Validation

/// A message: an address, its arguments, and the time at which it takes effect.
package struct OSCMessage: Hashable, Sendable {
  /// The address, which begins with `/`. In a received message it may be a pattern (see `OSCPattern`).
  package var address: String
  package var arguments: [OSCArgument]
  /// When it takes effect: the time of the innermost bundle around it, nil for at once. It may lie in the past or far in the
  /// future. `OSCServer.send` ignores it.
  package var time: OSCTime?

  package init(_ address: String, _ arguments: OSCArgument..., time: OSCTime? = nil) {
    self.init(address, arguments: arguments, time: time)
  }

  package init(_ address: String, arguments: [OSCArgument], time: OSCTime? = nil) {
    self.address = address
    self.arguments = arguments
    self.time = time
  }

  /// The type tags of the arguments, without the comma: `iisf`.
  package var typeTags: String { String(arguments.map(\.tag)) }
}

extension OSCMessage {
  /// The message with strings (`s`) that are safe to show on a terminal and at most 4096 bytes long, as paths are.
  package var printable: OSCMessage {
    var message = self
    for index in message.arguments.indices {
      guard case .string(let text) = message.arguments[index] else { continue }
      message.arguments[index] = .string(Validation.printable(text, limit: 4_096))
    }
    return message
  }
}

extension OSCMessage: CustomStringConvertible {
  package var description: String {
    arguments.isEmpty
      ? address : "\(address) ,\(typeTags) " + arguments.map(\.description).joined(separator: " ")
  }
}
