/// Decides from which peers datagrams are accepted, and to which they are sent.
struct OSCAccess: Sendable {
  var networks: [OSCNetwork]
  /// The server's own addresses. Messages to itself would never end.
  var own: Set<OSCPeer> = []

  /// Whether datagrams from and to a peer are allowed: always on loopback, the UNIX socket and connections, otherwise if one of
  /// the networks contains the peer; never from and to the server itself.
  ///
  /// - Thread: any.
  func allows(_ peer: OSCPeer) -> Bool {
    guard !own.contains(peer) else { return false }
    if peer.isConnected { return true }
    guard let address = peer.address else { return true }
    return address.isLoopback || networks.contains { $0.contains(address) }
  }

  /// Why a sender may not have messages sent to the peer that it names, as the end of "must be …"; nil if it may.
  ///
  /// Only the user can send over the UNIX socket. Other senders must not use the user's right to write into sockets.
  ///
  /// A connection is answered only on itself.
  ///
  /// A sender on another machine may name only its own address. Otherwise it could flood a third machine, or reach programs of
  /// this machine that trust local senders.
  ///
  /// - Thread: any.
  func objection(to peer: OSCPeer, namedBy sender: OSCPeer) -> String? {
    if sender.isConnected, peer != sender { return "left out: answers go over the connection itself" }
    if own.contains(peer) { return "another address: this is the server's own" }
    if case .unix = peer, case .udp = sender {
      return "an osc.udp:// address: only senders on the UNIX socket may name osc.unix://"
    }
    if let address = sender.remoteAddress, peer.address != address {
      return "at \(address), your own address: only programs on this machine may name others"
    }
    return allows(peer) ? nil : "in an allowed network"
  }
}
