import Control
import OSC

/// OSCQuery requests.
extension OSCRemote {
  /// Describes the node at a path with its contents, or one attribute of it.
  ///
  /// - Parameters:
  ///   - attribute: nil for all.
  ///   - answer: receives a function that makes the answer. The receiver calls it on its own thread, because it may take a
  ///     millisecond. nil if the conductor refuses the query, or the server is stopped. Thread: control, or the caller's
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
