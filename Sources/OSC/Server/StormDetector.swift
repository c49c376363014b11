import Realtime

/// Detects a storm: datagrams in quick succession that cause no answers, such as those of a fader in motion.
///
/// In a storm, waking for each datagram costs more than handling it. A sender that waits for an answer before it sends again
/// causes no storm, so its round trips stay short.
struct StormDetector {
  /// How long datagrams accumulate in a storm. None waits longer. Values wait much longer in the conductor's queue.
  static let gathering = Duration.milliseconds(2)
  /// From how many datagrams on it is a storm.
  private static let threshold = 16
  /// The longest time between two datagrams of a storm.
  private static let gap = Duration.milliseconds(4)

  private var count = 0
  private var last = Instant.distantPast

  var isUnderWay: Bool { count >= StormDetector.threshold }

  /// Counts the datagrams that a round of the loop received.
  mutating func note(_ number: Int, at now: Instant) {
    if now - last > StormDetector.gap { count = 0 }
    guard number > 0 else { return }
    count = min(count + number, StormDetector.threshold)
    last = now
  }

  /// Ends the storm if packets are sent.
  mutating func noteAnswers(_ number: Int) {
    if number > 0 { count = 0 }
  }
}
