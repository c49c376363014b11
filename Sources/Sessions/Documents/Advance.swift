import Control
import MusicTime
import TimeCheck
import Validation

/// A tempo that a coach changes between the two tempos of a section, when the player reaches a goal or fails.
package struct Advance: Hashable, Sendable {
  /// The goal of each tempo.
  package var goal: TimingGoal
  /// By how much the tempo changes when the goal is reached, in thousandths of a beat per minute, at least 1.
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

  /// The distance of neighbouring tempos of the ladder, in thousandths of a beat per minute.
  private var step: Int { fallback.map { Advance.gcd(by, $0.by) } ?? by }

  private static func gcd(_ a: Int, _ b: Int) -> Int { b == 0 ? a : gcd(b, a % b) }

  /// All tempos that may be played, from first to last.
  func ladder(from: Tempo, to: Tempo) -> TempoLadder { TempoLadder(from: from, to: to, by: step, every: 1) }

  /// The coach's plan, with steps of the ladder as its unit.
  /// - Parameter isOverAtTop: whether the section ends when its last tempo is mastered.
  func coach(isOverAtTop: Bool) -> Coach.Plan {
    Coach.Plan(
      goal: goal, up: by / step, patience: fallback?.after, down: (fallback?.by ?? by) / step,
      isOverAtTop: isOverAtTop)
  }
}
