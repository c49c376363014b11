import Control
import OSC
import Realtime
import Synchronization

/// The peers that have subscribed, and those that listen to single addresses. A subscription ends unless it is renewed, so a phone
/// that has left is forgotten. That of a connection ends with it.
struct Subscribers {
  /// Seconds from a subscription, or its renewal, to its end.
  static let lifetime = 60
  /// The most seconds that a program of this machine may ask for; others get `lifetime` at most.
  static let longest = 3_600
  static let capacity = 64
  /// How many subscriptions one address of another machine may have, on all its ports.
  static let share = 4

  private var ends: [OSCPeer: Instant] = [:]
  /// Those who have not subscribed, and are told of everything.
  var feedback = FeedbackPeers()
  /// The addresses that connections listen to.
  private var addresses: [OSCPeer: Set<String>] = [:]
  /// The addresses whose present value a listener has not been sent yet.
  private var wanted: [OSCPeer: Set<String>] = [:]
  /// Connections that have ended, and until when a message of theirs may still be on its way.
  private var gone: [OSCPeer: Instant] = [:]

  /// Adds or renews a subscription.
  /// - Parameter seconds: how long it lasts.
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

  /// Has a connection listen to an address; it must be one that exists.
  /// - Returns: false if there are too many that listen.
  mutating func listen(_ peer: OSCPeer, to address: String) -> Bool {
    guard gone[peer] == nil, addresses[peer] != nil || addresses.count < Subscribers.capacity else {
      return false
    }
    addresses[peer, default: []].insert(address)
    return true
  }

  /// Notes that a connection wants the present value of an address.
  /// - Returns: whether to ask the conductor; false while it is being asked for others.
  mutating func want(_ peer: OSCPeer, _ address: String) -> Bool {
    defer { wanted[peer, default: []].insert(address) }
    return wanted.isEmpty
  }

  /// What listeners want, which are then thought to have it.
  mutating func takeWanted() -> [OSCPeer: Set<String>] {
    defer { wanted = [:] }
    return wanted
  }

  mutating func ignore(_ peer: OSCPeer, _ address: String) {
    addresses[peer]?.remove(address)
    if addresses[peer]?.isEmpty == true { addresses[peer] = nil }
  }

  /// Ends a subscription; returns whether there was one.
  mutating func remove(_ peer: OSCPeer) -> Bool { ends.removeValue(forKey: peer) != nil }

  /// Forgets a connection that has ended.
  mutating func forget(_ peer: OSCPeer, now: Instant) {
    expire(now)
    (ends[peer], addresses[peer], wanted[peer]) = (nil, nil, nil)
    gone[peer] = now + .seconds(Subscribers.lifetime)
  }

  /// The peers whose subscription has not ended, and those who need none.
  mutating func current(now: Instant) -> [OSCPeer] {
    expire(now)
    return Array(ends.keys) + feedback.peers.filter { ends[$0] == nil }
  }

  /// What those listen to that have not subscribed to everything.
  var listeners: [OSCPeer: Set<String>] { addresses.filter { ends[$0.key] == nil } }

  /// Whether connections are told of everything, or listen to beats ahead.
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
