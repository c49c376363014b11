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
    // Who listens to much in a short time has the conductor asked once.
    guard value != nil, subscribers.list.withLock({ $0.want(peer, address) }) else { return true }
    updates.push(
      Request(
        .query { [weak self] in self?.answerWanted($0) },
        refuse: { [subscribers] _ in _ = subscribers.list.withLock { $0.takeWanted() } }))
    return true
  }

  /// Sends the values that new listeners wait for.
  /// - Thread: control
  private func answerWanted(_ snapshot: Snapshot) {
    for (peer, addresses) in subscribers.list.withLock({ $0.takeWanted() }) {
      let answers = addresses.sorted().compactMap { address in
        AddressSpace.endpoint(address)?.value.map { OSCMessage(address, arguments: $0(snapshot)).printable }
      }
      server.send(answers, to: peer, for: .news)
    }
  }

  /// Ends `listen`.
  /// - Thread: any
  package func ignore(_ peer: OSCPeer, _ address: String) {
    subscribers.list.withLock { $0.ignore(peer, address) }
  }
}
