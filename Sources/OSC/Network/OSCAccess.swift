/// Decides which peers may speak and are spoken to.
struct OSCAccess: Sendable {
  var networks: [OSCNetwork]
  /// The server's own addresses. It must not talk to itself: that would never end.
  var own: Set<OSCPeer> = []

  /// Loopback, the UNIX socket and connections always may, others if one of the networks contains them, the server itself never.
  ///
  /// - Thread: any.
  func allows(_ peer: OSCPeer) -> Bool {
    guard !own.contains(peer) else { return false }
    if peer.isConnected { return true }
    guard let address = peer.address else { return true }
    return address.isLoopback || networks.contains { $0.contains(address) }
  }

  /// Why a sender may not name a peer to be spoken to, as the end of "must be …"; nil if it may.
  ///
  /// Only the user can send over the UNIX socket. Others must not use the user's right to write into sockets.
  ///
  /// A connection is answered on itself.
  ///
  /// A sender on another machine may name only its own address. It could otherwise have a third machine flooded, or reach
  /// programs of this machine that trust local senders.
  ///
  /// - Thread: any.
  func objection(to peer: OSCPeer, namedBy sender: OSCPeer) -> String? {
    if sender.isConnected, peer != sender { return "left out: a connection is answered on itself" }
    if own.contains(peer) { return "another's: it is this server's own" }
    if case .unix = peer, case .udp = sender {
      return "an osc.udp:// address; osc.unix:// is for who speaks over the UNIX socket"
    }
    if let address = sender.remoteAddress, peer.address != address {
      return "at \(address), your own address: only programs of this machine may name another"
    }
    return allows(peer) ? nil : "in a network that is allowed"
  }
}
