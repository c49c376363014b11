import OSC

/// The messages with which a client authenticates: `/tactus/pair` with a token or a PIN, and the answer `/tactus/paired` with
/// its rights.
///
/// The web server handles them itself. They never reach the OSC server.
enum Pairing {
  enum Mode: String {
    /// The client may change everything.
    case control
    /// The client may only read.
    case viewer
    /// The client needs a key.
    case needed
    /// The key or PIN is not valid.
    case refused
  }

  /// The first bytes of a message to `/tactus/pair`.
  static let prefix = Array("/tactus/pair\0".utf8)

  /// The token or PIN in a datagram; nil if it contains none.
  static func secret(_ bytes: [UInt8]) -> String? {
    guard let messages = try? OSCDatagram(bytes).messages, messages.count == 1 else { return nil }
    return messages[0].arguments.first?.text
  }

  /// The datagram that answers a client.
  /// - Parameter token: the token that the client must store; nil if it has it.
  static func answer(_ mode: Mode, token: String?) -> [UInt8] {
    let arguments = [mode.rawValue] + (token.map { [$0] } ?? [])
    var bytes: [UInt8] = []
    _ = LibloWriter.datagrams(
      for: [OSCMessage("/tactus/paired", arguments: arguments.map { .string($0) })], at: nil
    ) { bytes = Array($0) }
    return bytes
  }
}
