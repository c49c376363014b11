import Control
import OSC

/// What peers on connections need beside messages.
extension OSCRemote {
  /// Has a carrier take what is for peers on connections; nil for none.
  /// - Thread: any
  package func connect(_ carrier: (any OSCCarrier)?) { server.connect(carrier) }

  /// Handles a datagram of a peer on a connection.
  /// - Thread: any
  package func receive(_ bytes: [UInt8], from peer: OSCPeer) { server.receive(bytes, from: peer) }

  /// Forgets a peer whose connection has ended.
  /// - Thread: any
  package func forget(_ peer: OSCPeer) { subscribers.list.withLock { $0.forget(peer, now: clock.now()) } }

  /// Has a connection hear each change of an address, after its present value.
  /// - Returns: whether there is such an address, and room for one more that listens.
  /// - Thread: any
  package func listen(_ peer: OSCPeer, to address: String) -> Bool {
    let value = AddressSpace.endpoint(address)?.value
    guard value != nil || AddressSpace.pushed.contains(address),
      subscribers.list.withLock({ $0.listen(peer, to: address) })
    else { return false }
    guard let value else { return true }
    updates.push(
      Request(
        .query { [server] in
          let answer = OSCMessage(address, arguments: value($0)).printable
          server.send([answer], to: peer, for: .news)
        }, refuse: { _ in }))
    return true
  }

  /// Ends `listen`.
  /// - Thread: any
  package func ignore(_ peer: OSCPeer, _ address: String) {
    subscribers.list.withLock { $0.ignore(peer, address) }
  }
}
