import OSC
import Realtime

/// Decides whether a sender is told again what counts, after a message that was refused or brought into a range.
///
/// A message that follows the same one of the same sender within a moment is not answered: two programs that refuse each other's
/// values would otherwise go on for ever.
struct TruthTeller {
  private static let moment = Duration.milliseconds(250)
  /// How many messages are remembered.
  private static let capacity = 64

  private var told: [(digest: Int, time: Instant)] = []

  /// Notes that a peer is to be told, and returns whether it is.
  mutating func admits(_ message: OSCMessage, of peer: OSCPeer, at now: Instant) -> Bool {
    var hasher = Hasher()
    hasher.combine(peer)
    hasher.combine(message.address)
    hasher.combine(message.arguments)
    let digest = hasher.finalize()
    told.removeAll { $0.time + TruthTeller.moment < now }
    guard !told.contains(where: { $0.digest == digest }) else { return false }
    if told.count == TruthTeller.capacity { told.removeFirst() }
    told.append((digest, now))
    return true
  }
}
