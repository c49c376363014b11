import OSC
import Realtime

/// The peers that receive everything without subscribing, and what their machines have just set.
///
/// A fader that sends what it receives would never come to rest if it received older values while it is moved. A value that a
/// feedback peer's machine has set is therefore sent back only after `quiet`.
struct FeedbackPeers {
  /// The feedback peers to which messages may be sent.
  private(set) var peers: [OSCPeer] = []
  /// When a machine of a feedback peer last set a value of a family.
  private var touched: [Touch: Instant] = [:]

  private struct Touch: Hashable {
    let machine: Machine
    let family: String
  }

  /// A sender's machine. Apps send from other ports than they listen on, so a sender can't be identified by its port.
  private enum Machine: Hashable {
    case local
    case remote(IPAddress)

    init(_ peer: OSCPeer) { self = peer.machine.map(Machine.remote) ?? .local }
  }

  /// How long a machine must not have set a value before it is sent that value.
  static let quiet = Duration.milliseconds(200)

  /// Replaces the feedback peers.
  mutating func set(_ peers: [OSCPeer]) {
    self.peers = peers
    let machines = Set(peers.map(Machine.init))
    touched = touched.filter { machines.contains($0.key.machine) }
  }

  /// The other feedback peers on a sender's machine.
  func otherPeers(onMachineOf sender: OSCPeer) -> [OSCPeer] {
    guard !peers.isEmpty else { return [] }
    let machine = Machine(sender)
    return peers.filter { $0 != sender && Machine($0) == machine }
  }

  /// Records that a sender sets a value of a family.
  mutating func note(_ family: String, setBy sender: OSCPeer, at now: Instant) {
    guard !peers.isEmpty, peers.contains(where: { Machine($0) == Machine(sender) }) else { return }
    touched[Touch(machine: Machine(sender), family: family)] = now
  }

  /// Whether a peer's machine has set a value of a family within the last `quiet`.
  func isEcho(of family: String, to peer: OSCPeer, at now: Instant) -> Bool {
    touched[Touch(machine: Machine(peer), family: family)].map { now < $0 + FeedbackPeers.quiet } ?? false
  }
}
