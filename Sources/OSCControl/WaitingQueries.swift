import OSC

/// The peers that wait for all values. A peer that asks again before it was answered receives one answer, to its last query. A
/// flood of queries therefore costs the conductor one answer per turn.
struct WaitingQueries {
  private var last: UInt64 = 0
  /// The newest query of each peer.
  private var newest: [OSCPeer: UInt64] = [:]

  /// Adds a query.
  /// - Returns: its number.
  mutating func add(_ peer: OSCPeer) -> UInt64 {
    last += 1
    newest[peer] = last
    return last
  }

  /// Removes a query whose turn has come, or which was refused.
  /// - Returns: whether to answer it: false if the peer has sent a later one.
  mutating func take(_ number: UInt64, of peer: OSCPeer) -> Bool {
    guard newest[peer] == number else { return false }
    newest[peer] = nil
    return true
  }
}
