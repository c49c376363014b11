import Synchronization

/// Counts of datagrams since the server was made.
package struct OSCCounts: Hashable, Sendable {
  /// Datagrams received, including the refused ones.
  package var received = 0
  /// Datagrams that were malformed, that came from a sender that is not allowed, or that arrived faster than they could be
  /// handled.
  package var refused = 0
  /// Datagrams sent.
  package var sent = 0
  /// Packets, messages and datagrams that were not sent because the queue was full, the peer slow or gone, or the message too
  /// long.
  package var dropped = 0
  /// Datagrams not sent because a peer had used up its allowance of answers or errors.
  package var withheld = 0
}

/// The counters of `OSCCounts`. Each is atomic on its own; a snapshot of all of them is not.
///
/// - Thread: any
final class OSCCounters: Sendable {
  let received = Atomic(0)
  let refused = Atomic(0)
  let sent = Atomic(0)
  let dropped = Atomic(0)
  let withheld = Atomic(0)

  var counts: OSCCounts {
    OSCCounts(
      received: received.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed),
      sent: sent.load(ordering: .relaxed), dropped: dropped.load(ordering: .relaxed),
      withheld: withheld.load(ordering: .relaxed))
  }
}
