import OSC

/// The conversation in which a client shows its key: `/tactus/pair` with a token or a PIN, and `/tactus/paired` with what it may do.
///
/// The web server holds it by itself: nothing of it reaches the OSC server.
enum Pairing {
  enum Mode: String {
    /// It may change what it wants.
    case control
    /// It may look.
    case viewer
    /// It needs a key.
    case needed
    case refused
  }

  static let prefix = Array("/tactus/pair\0".utf8)

  /// The secret of a message; nil if it has none.
  static func secret(_ bytes: [UInt8]) -> String? {
    guard let messages = try? OSCDatagram(bytes).messages, messages.count == 1 else { return nil }
    return messages[0].arguments.first?.text
  }

  /// - Parameter token: what the client is to keep; nil if it has that.
  static func answer(_ mode: Mode, token: String?) -> [UInt8] {
    let arguments = [mode.rawValue] + (token.map { [$0] } ?? [])
    var bytes: [UInt8] = []
    _ = LibloWriter.datagrams(
      for: [OSCMessage("/tactus/paired", arguments: arguments.map { .string($0) })], at: nil
    ) { bytes = Array($0) }
    return bytes
  }
}
