import Control
import OSC

/// Peers on connections: their carrier, datagrams and listeners.
extension OSCRemote {
  /// Sets the carrier that sends datagrams to peers on connections; nil for none.
  /// - Thread: any
  package func connect(_ carrier: (any OSCCarrier)?) { server.connect(carrier) }

  /// Handles a datagram from a peer on a connection. Returns at once.
  /// - Thread: any
  package func receive(_ bytes: [UInt8], from peer: OSCPeer) { server.receive(bytes, from: peer) }

  /// Removes the subscriptions of a peer whose connection has ended.
  /// - Thread: any
  package func forget(_ peer: OSCPeer) { subscribers.list.withLock { $0.forget(peer, now: clock.now()) } }

  /// Sends a connection the present value of an address, and then each change.
  /// - Returns: false if there is no such address, or no room for another listener.
  /// - Thread: any
  package func listen(_ peer: OSCPeer, to address: String) -> Bool {
    let value = AddressSpace.endpoint(address)?.value
    guard value != nil || AddressSpace.pushed.contains(address),
      subscribers.list.withLock({ $0.listen(peer, to: address) })
    else { return false }
    // If a peer listens to many addresses in a short time, the conductor is queried once for all.
    guard value != nil, subscribers.list.withLock({ $0.want(peer, address) }) else { return true }
    updates.push(
      Request(
        .query { [weak self] in self?.answerWanted($0) },
        refuse: { [subscribers] _ in _ = subscribers.list.withLock { $0.takeWanted() } }))
    return true
  }

  /// Sends the present values to new listeners.
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
