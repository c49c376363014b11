import Control
import OSC
import Realtime
import Synchronization

/// The peers that have subscribed, and those that listen to single addresses. A subscription ends unless it is renewed, so that
/// a phone that has left is forgotten. The subscription of a connection lasts as long as the connection.
struct Subscribers {
  /// Seconds from a subscription, or its renewal, to its end, if the message names no time.
  static let lifetime = 60
  /// The longest subscription that a program of this machine may request, in seconds. For other machines it is `lifetime`.
  static let longest = 3_600
  /// How many peers may subscribe, and how many may listen.
  static let capacity = 64
  /// How many subscriptions one address of another machine may have, on all its ports.
  static let share = 4

  private var ends: [OSCPeer: Instant] = [:]
  /// The peers that receive everything without a subscription.
  var feedback = FeedbackPeers()
  /// The addresses to which connections listen.
  private var addresses: [OSCPeer: Set<String>] = [:]
  /// The addresses whose present value has not yet been sent to a listener.
  private var wanted: [OSCPeer: Set<String>] = [:]
  /// Connections that have ended, and until when one of their messages may still arrive.
  private var gone: [OSCPeer: Instant] = [:]

  /// Adds or renews a subscription.
  /// - Parameter seconds: how long it lasts. The subscription of a connection does not expire.
  /// - Returns: false if there are too many, or too many at the peer's address.
  mutating func add(_ peer: OSCPeer, for seconds: Int = lifetime, now: Instant) -> Bool {
    expire(now)
    guard gone[peer] == nil else { return false }
    if ends[peer] == nil {
      guard ends.count < Subscribers.capacity else { return false }
      if let address = peer.remoteAddress {
        guard ends.keys.count(where: { $0.remoteAddress == address }) < Subscribers.share else {
          return false
        }
      }
    }
    ends[peer] = now + .seconds(seconds)
    return true
  }

  /// Adds an address to those to which a connection listens. The address must exist.
  /// - Returns: false if too many peers listen.
  mutating func listen(_ peer: OSCPeer, to address: String) -> Bool {
    guard gone[peer] == nil, addresses[peer] != nil || addresses.count < Subscribers.capacity else {
      return false
    }
    addresses[peer, default: []].insert(address)
    return true
  }

  /// Records that a connection waits for the present value of an address.
  /// - Returns: whether the caller must query the conductor; false while a query is already under way.
  mutating func want(_ peer: OSCPeer, _ address: String) -> Bool {
    defer { wanted[peer, default: []].insert(address) }
    return wanted.isEmpty
  }

  /// Removes and returns the addresses whose present values must be sent.
  mutating func takeWanted() -> [OSCPeer: Set<String>] {
    defer { wanted = [:] }
    return wanted
  }

  /// Ends `listen` for an address.
  mutating func ignore(_ peer: OSCPeer, _ address: String) {
    addresses[peer]?.remove(address)
    if addresses[peer]?.isEmpty == true { addresses[peer] = nil }
  }

  /// Ends a subscription.
  /// - Returns: whether there was one.
  mutating func remove(_ peer: OSCPeer) -> Bool { ends.removeValue(forKey: peer) != nil }

  /// Removes a connection that has ended, and rejects it from now on.
  mutating func forget(_ peer: OSCPeer, now: Instant) {
    expire(now)
    (ends[peer], addresses[peer], wanted[peer]) = (nil, nil, nil)
    gone[peer] = now + .seconds(Subscribers.lifetime)
  }

  /// The peers that receive everything: subscribers and feedback peers.
  mutating func current(now: Instant) -> [OSCPeer] {
    expire(now)
    return Array(ends.keys) + feedback.peers.filter { ends[$0] == nil }
  }

  /// The addresses to which peers without a subscription listen.
  var listeners: [OSCPeer: Set<String>] { addresses.filter { ends[$0.key] == nil } }

  /// Whether a connection has subscribed or listens to beats ahead.
  var hasConnections: Bool {
    ends.keys.contains(where: \.isConnected) || addresses.values.contains { $0.contains(AddressSpace.ahead) }
  }

  private mutating func expire(_ now: Instant) {
    ends = ends.filter { $0.key.isConnected || $0.value > now }
    gone = gone.filter { $0.value > now }
  }
}

/// The subscribers, which the osc, control and web threads share.
final class SubscriberList: Sendable {
  let list = Mutex(Subscribers())
}
