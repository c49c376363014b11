import OSC

/// The addresses of the protocol (new-session-manager, API 1.1.2).
enum NSMProtocol {
  static let announce = "/nsm/server/announce"
  static let open = "/nsm/client/open"
  static let save = "/nsm/client/save"
  static let reply = "/reply"
  static let error = "/error"
  static let isDirty = "/nsm/client/is_dirty"
  static let isClean = "/nsm/client/is_clean"
  static let message = "/nsm/client/message"

  /// The client's capabilities: it reports whether it has unsaved changes, and sends messages.
  static let capabilities = ":dirty:message:"
  /// In addition, it can open another session without a restart.
  static let switchingCapabilities = ":switch:dirty:message:"
  static let version: (major: Int32, minor: Int32) = (1, 1)
}

/// The client's side of the conversation: turns the manager's messages into events. It needs no sockets, threads or clocks.
struct NSMConversation {
  /// The meaning of a message from the manager.
  enum Event: Equatable {
    /// The manager accepts the client.
    case welcome
    /// The manager refuses the client.
    case refused(reason: String)
    case order(NSMOrder)
    /// An answer to be sent to the manager at once.
    case answer(OSCMessage)
  }

  private var hasSession = false

  /// Interprets a message.
  /// - Returns: nil if a client need not react.
  mutating func handle(_ message: OSCMessage) -> Event? {
    let texts = message.arguments.map(\.text)
    switch message.address {
    case NSMProtocol.reply where texts.first == NSMProtocol.announce:
      return .welcome
    case NSMProtocol.error where texts.first == NSMProtocol.announce:
      return .refused(reason: (texts.last ?? nil) ?? "")
    case NSMProtocol.open:
      guard texts.count >= 3, let path = texts[0], let name = texts[1], let clientID = texts[2],
        path.hasPrefix("/"), !clientID.isEmpty
      else {
        return .answer(
          NSMConversation.error(
            NSMProtocol.open, .createFailed, "open: must have an absolute path, a name and a client ID"))
      }
      hasSession = true
      return .order(.open(NSMSession(path: path, name: name, clientID: clientID)))
    case NSMProtocol.save:
      guard hasSession else {
        return .answer(NSMConversation.error(NSMProtocol.save, .noSession, "save: no session is open"))
      }
      return .order(.save)
    default: return nil
    }
  }

  /// - Parameters:
  ///   - process: the process identifier.
  ///   - switches: whether the client can open another session without a restart.
  static func announcement(program: String, process: Int32, switches: Bool) -> OSCMessage {
    let capabilities = switches ? NSMProtocol.switchingCapabilities : NSMProtocol.capabilities
    return OSCMessage(
      NSMProtocol.announce, .string("Tactus"), .string(capabilities), .string(program),
      .int32(NSMProtocol.version.major), .int32(NSMProtocol.version.minor), .int32(process))
  }

  static func reply(_ address: String, _ text: String) -> OSCMessage {
    OSCMessage(NSMProtocol.reply, .string(address), .string(text))
  }

  static func error(_ address: String, _ code: NSMErrorCode, _ text: String) -> OSCMessage {
    OSCMessage(NSMProtocol.error, .string(address), .int32(code.rawValue), .string(text))
  }
}
