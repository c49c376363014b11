import OSC

/// The peers that have asked for all values and wait for them. Who asks more often than it can be answered is answered with the
/// newest values alone, so that a flood of queries costs the conductor one answer a turn.
struct WaitingQueries {
  private var last: UInt64 = 0
  /// The newest query of each peer.
  private var newest: [OSCPeer: UInt64] = [:]

  /// Notes a query.
  /// - Returns: its number.
  mutating func add(_ peer: OSCPeer) -> UInt64 {
    last += 1
    newest[peer] = last
    return last
  }

  /// Takes a query out whose turn has come.
  /// - Returns: whether the peer waits for it, and for none that came later.
  mutating func isNewest(_ number: UInt64, of peer: OSCPeer) -> Bool {
    guard newest[peer] == number else { return false }
    newest[peer] = nil
    return true
  }
}
