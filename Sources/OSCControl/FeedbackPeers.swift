import OSC
import Realtime

/// Those who are told of everything without subscribing, and what each of them has just set itself.
///
/// An app whose faders send what they are told would never come to rest if it were told older values while a fader is moved. What a
/// feedback peer has set is told to it when it has come to rest.
struct FeedbackPeers {
  /// The peers that may be spoken to.
  private(set) var peers: [OSCPeer] = []
  /// When a machine of theirs has last set something of a family.
  private var touched: [Touch: Instant] = [:]

  private struct Touch: Hashable {
    let machine: Machine
    let family: String
  }

  /// Apps send from other ports than they listen on, so that a sender is known by its machine.
  private enum Machine: Hashable {
    case here
    case there(IPAddress)

    init(_ peer: OSCPeer) { self = peer.machine.map(Machine.there) ?? .here }
  }

  /// How long after a value that a machine has set it is told of that value, at the earliest.
  static let quiet = Duration.milliseconds(200)

  mutating func set(_ peers: [OSCPeer]) {
    self.peers = peers
    let machines = Set(peers.map(Machine.init))
    touched = touched.filter { machines.contains($0.key.machine) }
  }

  /// The feedback peers on the machine of a sender.
  func beside(_ sender: OSCPeer) -> [OSCPeer] {
    guard !peers.isEmpty else { return [] }
    let machine = Machine(sender)
    return peers.filter { $0 != sender && Machine($0) == machine }
  }

  /// Notes that a sender sets something of a family.
  mutating func note(_ family: String, setBy sender: OSCPeer, at now: Instant) {
    guard !peers.isEmpty, peers.contains(where: { Machine($0) == Machine(sender) }) else { return }
    touched[Touch(machine: Machine(sender), family: family)] = now
  }

  /// Whether a peer's machine has just set something of a family.
  func isEcho(of family: String, to peer: OSCPeer, at now: Instant) -> Bool {
    touched[Touch(machine: Machine(peer), family: family)].map { now < $0 + FeedbackPeers.quiet } ?? false
  }
}
