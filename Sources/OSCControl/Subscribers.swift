import Control
import OSC
import Realtime
import Synchronization

/// The peers that have subscribed. A subscription ends unless it is renewed, so a phone that has left is forgotten.
struct Subscribers {
  /// Seconds from a subscription, or its renewal, to its end.
  static let lifetime = 60
  static let capacity = 64
  /// How many subscriptions one address of another machine may have, on all its ports.
  static let share = 4

  private var ends: [OSCPeer: Instant] = [:]

  /// Adds or renews a subscription.
  /// - Returns: false if there are too many, or too many at the peer's address.
  mutating func add(_ peer: OSCPeer, now: Instant) -> Bool {
    expire(now)
    if ends[peer] == nil {
      guard ends.count < Subscribers.capacity else { return false }
      if let address = peer.remoteAddress {
        guard ends.keys.count(where: { $0.address == address }) < Subscribers.share else { return false }
      }
    }
    ends[peer] = now + .seconds(Subscribers.lifetime)
    return true
  }

  /// Ends a subscription; returns whether there was one.
  mutating func remove(_ peer: OSCPeer) -> Bool { ends.removeValue(forKey: peer) != nil }

  /// The peers whose subscription has not ended.
  mutating func current(now: Instant) -> [OSCPeer] {
    expire(now)
    return Array(ends.keys)
  }

  private mutating func expire(_ now: Instant) {
    ends = ends.filter { $0.value > now }
  }
}

/// The subscribers, which the osc and control threads share.
final class SubscriberList: Sendable {
  let list = Mutex(Subscribers())
}
