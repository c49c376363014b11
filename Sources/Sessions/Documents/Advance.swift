import Control
import MusicTime
import TimeCheck
import Validation

/// A tempo that changes with how well it is played, between the two tempos of its section.
package struct Advance: Hashable, Sendable {
  /// What is to be reached.
  package var goal: TimingGoal
  /// By how much the tempo changes then, in thousandths of a beat per minute, at least 1.
  package var by: Int
  /// What happens after failures; nil for nothing.
  package var fallback: Fallback?

  /// What happens after failures.
  package struct Fallback: Hashable, Sendable {
    /// Failures in a row, at least 1.
    package var after: Int
    /// By how much the tempo goes back, in thousandths of a beat per minute, at least 1.
    package var by: Int

    package init(after: Int, by: Int) { (self.after, self.by) = (after, by) }
  }

  package init(goal: TimingGoal, by: Int, fallback: Fallback? = nil) {
    (self.goal, self.by, self.fallback) = (goal, by, fallback)
  }

  /// The tempos that may be played, in thousandths of a beat per minute from one to the next.
  private var step: Int { fallback.map { Advance.gcd(by, $0.by) } ?? by }

  private static func gcd(_ a: Int, _ b: Int) -> Int { b == 0 ? a : gcd(b, a % b) }

  /// The tempos that may be played, first to last.
  func ladder(from: Tempo, to: Tempo) -> TempoLadder { TempoLadder(from: from, to: to, by: step, every: 1) }

  /// - Parameter isOverAtTop: whether the section is over when its last tempo is mastered.
  func coach(isOverAtTop: Bool) -> Coach.Plan {
    Coach.Plan(
      goal: goal, up: by / step, patience: fallback?.after, down: (fallback?.by ?? by) / step,
      isOverAtTop: isOverAtTop)
  }
}
