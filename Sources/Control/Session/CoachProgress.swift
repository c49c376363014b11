import TimeCheck

/// What a coached section asks, and what follows when it is reached.
package struct CoachProgress: Equatable, Sendable {
  package enum Next: Equatable, Sendable {
    /// Another step, at this tempo in beats a minute; nil if its tempo changes.
    case tempo(Double?)
    /// The section ends.
    case end
    /// The last step goes on until the player does.
    case stay
  }

  package let goal: TimingGoal
  /// The step that plays, from 1, and how many there are.
  package let step: Int
  package let steps: Int
  /// Trials in a row that fail until it goes back; nil if it never does, or cannot go back further.
  package let patience: Int?
  package let next: Next

  package init(goal: TimingGoal, step: Int, steps: Int, patience: Int?, next: Next) {
    (self.goal, self.step, self.steps, self.patience, self.next) = (goal, step, steps, patience, next)
  }
}

extension SessionPlayback {
  /// What is asked in a plan; nil where nobody is coached.
  func coachProgress(of plan: Int) -> CoachProgress? {
    guard let (coach, place) = coaching(of: plan) else { return nil }
    let (last, next): (Int, CoachProgress.Next) = (place.steps - 1, coach.isOverAtTop ? .end : .stay)
    let isAtTop = place.step == last
    return CoachProgress(
      goal: coach.goal, step: place.step + 1, steps: place.steps,
      patience: place.step > 0 ? coach.patience : nil,
      next: isAtTop ? next : .tempo(tempo(ofPlan: plan - place.step + min(place.step + coach.up, last))))
  }

  /// The tempo at which a plan is played, in beats a minute; nil if it changes.
  func tempo(ofPlan plan: Int) -> Double? {
    guard song.plans.indices.contains(plan), case .constant(let tempo) = song.plans[plan].tempo else {
      return nil
    }
    return rendition.applied(to: tempo).beatsPerMinute
  }
}
