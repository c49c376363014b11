import Control
import OSC
import Validation

/// Feedback: peers that receive everything without subscribing.
extension OSCRemote {
  /// Reads the feedback addresses from the settings, and sends all values to them.
  /// - Thread: any
  func beginFeedback() {
    updates.push(
      Request(
        .query { [weak self] snapshot in
          guard let self else { return }
          sendValues(of: snapshot, to: follow(snapshot.settings.feedback))
        }))
  }

  /// Changes the feedback addresses, and sends all values to those that are new.
  /// - Thread: control
  func change(_ feedback: FeedbackList) {
    let added = follow(feedback)
    guard !added.isEmpty else { return }
    // Only answers to queries contain all values.
    updates.push(Request(.query { [weak self] in self?.sendValues(of: $0, to: added) }))
  }

  /// Replaces the feedback peers by the addresses of the settings to which messages may be sent.
  /// - Returns: the new ones.
  private func follow(_ feedback: FeedbackList) -> [OSCPeer] {
    let peers = feedback.urls.compactMap { OSCPeer(url: $0) }.filter(server.mayReach)
    return subscribers.list.withLock { list in
      let added = peers.filter { !list.feedback.peers.contains($0) }
      list.feedback.set(peers)
      return added
    }
  }

  private func sendValues(of snapshot: Snapshot, to peers: [OSCPeer]) {
    let values = OSCRemote.values(of: AddressSpace.endpoints, snapshot)
    for peer in peers { server.send(values, to: peer) }
  }

  /// Lists, adds or removes a feedback address. The list outlives the program that changes it. Therefore only programs on this
  /// machine may use it, and they may name only addresses of this machine. Over the UNIX socket, which only the user can use,
  /// any address to which messages may be sent is permitted.
  /// - Throws: `OSCFault` or `InvalidValue`.
  /// - Thread: osc
  func feedback(
    _ action: Endpoint.FeedbackAction, _ endpoint: Endpoint, _ arguments: OSCArguments, _ message: OSCMessage,
    _ exchange: OSCExchange
  ) throws -> Request? {
    guard exchange.peer.machine == nil, !exchange.peer.isConnected else {
      throw OSCFault(reason: "only programs on the machine that runs Tactus may do this")
    }
    switch action {
    case .list:
      try arguments.withoutPadding.require(0...0, as: "nothing")
      try exchange.countValues(FeedbackList.limit)
      return list(exchange) { [server] snapshot in
        let urls = snapshot.settings.feedback.urls
        let rows = urls.enumerated().map { index, url in
          let isReached = OSCPeer(url: url).map(server.mayReach) ?? false
          return AddressSpace.ints(index + 1, urls.count) + [.string(url)]
            + AddressSpace.ints(isReached ? 1 : 0)
        }
        let none = AddressSpace.ints(0, 0) + [.string("")] + AddressSpace.ints(0)
        return (rows.isEmpty ? [none] : rows).map(endpoint.answer)
      }
    case .add:
      try arguments.require(endpoint.counts, as: endpoint.form)
      let peer = try subscriber(arguments, exchange.peer)
      if let address = peer.address, !address.isLoopback, exchange.peer.address != nil {
        throw InvalidValue(
          "feedback", "\(peer)",
          allowed: "on this machine; others can be given with --osc-feedback when Tactus starts")
      }
      guard let url = peer.url else {
        throw InvalidValue("feedback", "\(peer)", allowed: "a sender that can be answered")
      }
      return request(.feedback(.add(url: url)), message, endpoint, exchange)
    case .remove:
      try arguments.require(endpoint.counts, as: endpoint.form)
      let text = arguments.arguments[0].text ?? arguments.arguments[0].integer.map(String.init) ?? ""
      let host = exchange.peer.address ?? IPAddress("127.0.0.1")
      let url = OSCPeer(url: text, host: host)?.url ?? text
      return request(.feedback(.remove(url: url)), message, endpoint, exchange)
    }
  }
}
