import Synchronization

/// What came and went since the server was made.
public struct OSCCounts: Hashable, Sendable {
  /// Datagrams received, the refused ones included.
  public var received: Int
  /// Datagrams that were malformed, or whose sender may not speak.
  public var refused: Int
  /// Datagrams sent.
  public var sent: Int
  /// What should have been sent and wasn't: the queue was full, the peer slow or gone, the message too long.
  public var dropped: Int

  public init(received: Int = 0, refused: Int = 0, sent: Int = 0, dropped: Int = 0) {
    self.received = received
    self.refused = refused
    self.sent = sent
    self.dropped = dropped
  }
}

/// The counters behind `OSCCounts`, each atomic by itself.
final class OSCCounters: Sendable {
  let received = Atomic(0)
  let refused = Atomic(0)
  let sent = Atomic(0)
  let dropped = Atomic(0)

  var counts: OSCCounts {
    OSCCounts(
      received: received.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed),
      sent: sent.load(ordering: .relaxed), dropped: dropped.load(ordering: .relaxed))
  }
}
