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

  /// Why a sender may not name a peer to be spoken to, as the end of "must be …"; nil where it may.
  ///
  /// Who speaks over the UNIX socket is the user. Anybody else would borrow the user's right to write into sockets.
  ///
  /// Who speaks from another machine may name its own address alone: any other would be flooded in its stead, or be a
  /// program of this machine that trusts it.
  ///
  /// - Thread: any.
  func objection(to peer: OSCPeer, namedBy sender: OSCPeer) -> String? {
    if own.contains(peer) { return "another's: it is Tactus's own" }
    if case .unix = peer, case .udp = sender {
      return "an osc.udp:// address; osc.unix:// is for who speaks over the UNIX socket"
    }
    if let address = sender.remoteAddress, peer.address != address {
      return "at \(address), your own address: only programs of this machine may name another"
    }
    return allows(peer) ? nil : "in a network that --osc-allow names"
  }
}
