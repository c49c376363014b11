import TimeCheck

/// The goal of a coached section, and what follows when it is reached.
package struct CoachProgress: Equatable, Sendable {
  package enum Next: Equatable, Sendable {
    /// Another step, at this tempo in beats per minute; nil if its tempo changes.
    case tempo(Double?)
    /// The section ends.
    case end
    /// The last step continues until the player goes on.
    case stay
  }

  package let goal: TimingGoal
  /// The current step, from 1, and the number of steps.
  package let step: Int
  package let steps: Int
  /// Number of failed trials in a row after which the coach goes back a step; nil if it never does, or can't go back further.
  package let patience: Int?
  package let next: Next

  package init(goal: TimingGoal, step: Int, steps: Int, patience: Int?, next: Next) {
    (self.goal, self.step, self.steps, self.patience, self.next) = (goal, step, steps, patience, next)
  }
}

extension SessionPlayback {
  /// The coaching of a plan; nil if the plan is not coached.
  func coachProgress(of plan: Int) -> CoachProgress? {
    guard let (coach, place) = coaching(of: plan) else { return nil }
    let (last, next): (Int, CoachProgress.Next) = (place.steps - 1, coach.isOverAtTop ? .end : .stay)
    let isAtTop = place.step == last
    return CoachProgress(
      goal: coach.goal, step: place.step + 1, steps: place.steps,
      patience: place.step > 0 ? coach.patience : nil,
      next: isAtTop ? next : .tempo(tempo(ofPlan: plan - place.step + min(place.step + coach.up, last))))
  }

  /// The tempo of a plan as it is played, in beats per minute; nil if it changes.
  func tempo(ofPlan plan: Int) -> Double? {
    guard song.plans.indices.contains(plan), case .constant(let tempo) = song.plans[plan].tempo else {
      return nil
    }
    return rendition.applied(to: tempo).beatsPerMinute
  }
}
