import OSC
import Realtime

/// Decides whether a sender receives the value that applies, after a message that was refused or clamped.
///
/// If a sender repeats the same message within `moment`, it is not answered. Otherwise two programs that refuse each other's
/// values would continue for ever.
struct CorrectionLimiter {
  private static let moment = Duration.milliseconds(250)
  /// How many messages are remembered.
  private static let capacity = 64

  private var sent: [(digest: Int, time: Instant)] = []

  /// Decides whether to answer a message, and remembers the answer.
  mutating func admits(_ message: OSCMessage, of peer: OSCPeer, at now: Instant) -> Bool {
    var hasher = Hasher()
    hasher.combine(peer)
    hasher.combine(message.address)
    hasher.combine(message.arguments)
    let digest = hasher.finalize()
    sent.removeAll { $0.time + CorrectionLimiter.moment < now }
    guard !sent.contains(where: { $0.digest == digest }) else { return false }
    if sent.count == CorrectionLimiter.capacity { sent.removeFirst() }
    sent.append((digest, now))
    return true
  }
}
