/// Who may speak, and is spoken to.
struct OSCAccess: Sendable {
  var networks: [OSCNetwork]
  /// Where the server itself is, under all its names: talking to itself it would never end.
  var own: Set<OSCPeer> = []

  /// Loopback and the UNIX socket always may, others when one of the networks holds them, the server itself never.
  ///
  /// - Thread: any.
  func allows(_ peer: OSCPeer) -> Bool {
    guard !own.contains(peer) else { return false }
    guard let address = peer.address else { return true }
    return address.isLoopback || networks.contains { $0.contains(address) }
  }
}
