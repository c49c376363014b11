/// A session of the session manager: the folder for its files, and the client's name in it.
package struct NSMSession: Hashable, Sendable {
  /// The absolute path of the client's files; it need not exist yet.
  package let path: String
  /// The session's name, to be shown.
  package let name: String
  /// The client's unique name in the session, which is also its name in JACK.
  package let clientID: String

  package init(path: String, name: String, clientID: String) {
    (self.path, self.name, self.clientID) = (path, name, clientID)
  }
}

/// A request of the session manager.
package enum NSMOrder: Hashable, Sendable {
  /// Opens a session, in place of the present one.
  case open(NSMSession)
  /// Saves. The manager may kill the client after its answer.
  case save

  var address: String {
    switch self {
    case .open: NSMProtocol.open
    case .save: NSMProtocol.save
    }
  }
}

/// Error codes of the protocol, as numbered there.
package enum NSMErrorCode: Int32, Sendable {
  case launchFailed = -3
  case noSession = -5
  case notNow = -7
  case createFailed = -9
}
