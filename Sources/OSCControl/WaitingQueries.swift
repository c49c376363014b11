import OSC

/// The peers that wait for all values. A peer that asks again before it was answered gets one answer, to its last query, so that a flood
/// costs the conductor one answer a turn.
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

  /// Ends the wait for a query whose turn has come, or which was refused.
  /// - Returns: whether it is to be answered: the peer has asked no later one.
  mutating func take(_ number: UInt64, of peer: OSCPeer) -> Bool {
    guard newest[peer] == number else { return false }
    newest[peer] = nil
    return true
  }
}
