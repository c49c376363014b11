import Control
import OSC

/// Answers OSCQuery.
extension OSCRemote {
  /// Describes the node at a path: with all that is in it, or one attribute of it.
  ///
  /// - Parameters:
  ///   - attribute: nil for all.
  ///   - answer: gets the answer, to be made on the thread that wants it: it may take a millisecond. nil where the conductor has too
  ///     much to do.
  ///     Thread: control, or the caller's
  /// - Thread: any
  package func describe(
    path: String, attribute: String?,
    _ answer: @escaping @Sendable ((@Sendable () -> OSCQueryTree.Answer)?) -> Void
  ) {
    if attribute == "HOST_INFO" {
      guard let port, case .udp(let address, _) = server.endpoint else { return answer(nil) }
      return answer {
        OSCQueryTree.hostInfo(name: "Tactus", address: address.isWildcard ? nil : "\(address)", port: port)
      }
    }
    if let objection = OSCQueryTree.objection(path: path, attribute: attribute) {
      return answer { objection }
    }
    updates.push(
      Request(
        .query { snapshot in answer { OSCQueryTree.answer(path: path, attribute: attribute, snapshot) } },
        refuse: { _ in answer(nil) }))
  }
}
