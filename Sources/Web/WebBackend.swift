import OSC
import OSCControl

/// What the web server serves: OSC messages over connections, and descriptions of the addresses.
package protocol WebBackend: Sendable {
  /// Handles a datagram of a client. Returns at once.
  func receive(_ bytes: [UInt8], from peer: OSCPeer)
  /// Has a client hear each change of an address.
  /// - Returns: whether there is such an address.
  func listen(_ peer: OSCPeer, to address: String) -> Bool
  func ignore(_ peer: OSCPeer, _ address: String)
  /// Forgets a client whose connection has ended.
  func forget(_ peer: OSCPeer)
  /// Describes a node as OSCQuery asks for it; nil where there is too much to do.
  func describe(
    path: String, attribute: String?,
    _ answer: @escaping @Sendable ((@Sendable () -> OSCQueryTree.Answer)?) -> Void)
}

extension OSCRemote: WebBackend {}
