/// The message that reports to a sender what was refused, and why.
package enum OSCRefusal {
  /// The length of the longest reason, in bytes.
  static let limit = 512

  /// Makes an error message. A reason longer than `limit` is cut.
  /// - Parameters:
  ///   - errors: the address of the error message.
  ///   - address: the address that was refused.
  package static func message(to errors: String, _ address: String, _ reason: String) -> OSCMessage {
    OSCMessage(errors, .string(address), .string(cut(reason, to: limit)))
  }

  /// The message with its reason cut so that it is at most `room` bytes long; nil if nothing of the reason would be left.
  static func message(_ message: OSCMessage, in room: Int) -> OSCMessage? {
    let excess = LibloWriter.length(of: message) - room
    guard excess > 0 else { return message }
    guard case .string(let reason)? = message.arguments.last else { return nil }
    let left = reason.utf8.count - excess
    guard left > ellipsis.utf8.count else { return nil }
    var message = message
    message.arguments[message.arguments.count - 1] = .string(cut(reason, to: left))
    return message
  }

  private static let ellipsis = "…"

  private static func cut(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var kept = String.UnicodeScalarView()
    var size = ellipsis.utf8.count
    for scalar in text.unicodeScalars {
      size += UTF8.width(scalar)
      guard size <= limit else { break }
      kept.append(scalar)
    }
    return String(kept) + ellipsis
  }
}
