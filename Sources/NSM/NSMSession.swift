/// A session as the session manager has it: where its files are, and what the client is called in it.
package struct NSMSession: Hashable, Sendable {
  /// The client's own folder; it need not exist yet.
  package let path: String
  /// The session's name, for people.
  package let name: String
  /// The client's name in the session, which it takes in JACK.
  package let clientID: String

  package init(path: String, name: String, clientID: String) {
    (self.path, self.name, self.clientID) = (path, name, clientID)
  }
}

/// What the session manager asks for.
package enum NSMOrder: Hashable, Sendable {
  /// Opens a session, or leaves the present one for it.
  case open(NSMSession)
  /// Saves. The client must be ready to be killed after its answer.
  case save

  var address: String {
    switch self {
    case .open: NSMProtocol.open
    case .save: NSMProtocol.save
    }
  }
}

/// Error codes of the protocol.
package enum NSMErrorCode: Int32, Sendable {
  case launchFailed = -3
  case noSession = -5
  case notNow = -7
  case createFailed = -9
}
