/// The connections of the client's ports to keep and restore.
///
/// A peer that disappears is missing, and is reconnected when it returns. A connection that ends while both of its ports
/// exist was removed by a user, and is forgotten: if two readings agree. A port that has gone and is back may not have been reported yet
/// at the first one.
struct KeptConnections {
  private struct Peer {
    var name: String
    /// Whether it must be connected as soon as it exists.
    var isMissing = true
    /// Whether the last reading found both ports and no connection.
    var isDoubtful = false
  }

  /// The maximum number of peers per port. The oldest missing one is dropped first.
  static let limit = 32

  /// The peers by the short names of the client's ports.
  private var peers: [String: [Peer]]
  /// The automatic peers of `out`, used if the user has chosen none; nil if the user has chosen.
  private let automatic: Set<String>?

  /// - Parameters:
  ///   - names: the peers of each port. They count as missing until `restore` finds them.
  ///   - automatic: the peers of `out` if `names` has none for it.
  init(_ names: [String: [String]] = [:], automatic: [String]? = nil) {
    peers = names.mapValues { $0.prefix(KeptConnections.limit).map { Peer(name: $0) } }
    self.automatic = automatic.map { Set($0) }
    if let automatic { peers["out"] = automatic.map { Peer(name: $0) } }
  }

  /// The peers of each port to save. `out` is omitted while its connections are automatic, other ports while they have no
  /// peers.
  var names: [String: [String]] {
    peers.mapValues { $0.map(\.name) }.filter { port, names in
      port == "out" ? Set(names) != automatic : !names.isEmpty
    }
  }

  /// The peers of a port that are connected.
  func connected(_ port: String) -> [String] { (peers[port] ?? []).filter { !$0.isMissing }.map(\.name) }

  /// Marks all peers as missing, for the ports of a new client.
  mutating func loseAll() {
    peers = peers.mapValues { $0.map { Peer(name: $0.name) } }
  }

  /// Connects missing peers that exist.
  /// - Parameters:
  ///   - connect: connects a port to a peer; returns whether they are connected.
  ///   - candidates: all ports to which a port can be connected.
  mutating func restore(
    connect: (_ port: String, _ peer: String) -> Bool, candidates: (_ port: String) -> [String]
  ) {
    for (port, list) in peers where list.contains(where: \.isMissing) {
      var list = list
      for index in list.indices where list[index].isMissing {
        list[index].isMissing = !connect(port, list[index].name)
      }
      for index in list.indices where list[index].isMissing && list[index].name.hasClientNumber {
        let other = candidates(port).first { candidate in
          candidate.isSameDevice(as: list[index].name) && !list.contains { $0.name == candidate }
        }
        if let other, connect(port, other) { list[index] = Peer(name: other, isMissing: false) }
      }
      peers[port] = list
    }
  }

  /// Records the connections after a change.
  /// - Parameters:
  ///   - connected: the peers of all of the client's ports.
  ///   - exists: whether a port with this name exists.
  ///   - renewed: ports registered since the last call: they may have disappeared in between.
  /// - Returns: whether all is certain. If not, the next call decides which connections were removed.
  mutating func note(
    connected: [String: [String]], exists: (String) -> Bool, renewed: Set<String> = []
  ) -> Bool {
    var isCertain = true
    for (port, now) in connected {
      var list: [Peer] = []
      for peer in peers[port] ?? [] {
        if now.contains(peer.name) {
          list.append(Peer(name: peer.name, isMissing: false))
        } else if peer.isMissing || !exists(peer.name) || renewed.contains(peer.name) {
          list.append(Peer(name: peer.name))
        } else if !peer.isDoubtful {
          list.append(Peer(name: peer.name, isMissing: false, isDoubtful: true))
          isCertain = false
        }
      }
      for name in now where !list.contains(where: { $0.name == name }) {
        // The same device with another number, connected by the user or another program.
        list.removeAll { $0.isMissing && $0.name.hasClientNumber && $0.name.isSameDevice(as: name) }
        if list.count >= KeptConnections.limit, let oldest = list.firstIndex(where: \.isMissing) {
          list.remove(at: oldest)
        }
        if list.count < KeptConnections.limit { list.append(Peer(name: name, isMissing: false)) }
      }
      peers[port] = list
    }
    return isCertain
  }
}

extension String {
  /// Whether the name contains the number of an ALSA client, as a2jmidid's names do. The number changes when the device is
  /// plugged in again: `a2j:Pad [24] (capture): Pad MIDI 1`.
  fileprivate var hasClientNumber: Bool { contains(#/ \[[0-9]+\]/#) }

  /// Whether two names differ only in the number of an ALSA client.
  fileprivate func isSameDevice(as other: String) -> Bool {
    replacing(#/ \[[0-9]+\]/#, with: "") == other.replacing(#/ \[[0-9]+\]/#, with: "")
  }
}
