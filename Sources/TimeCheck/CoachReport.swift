/// A coach's decision, for display.
package struct CoachReport: Equatable, Sendable {
  /// The section's name; empty if it has none.
  package var section: String
  package var advice: Coach.Advice
  /// The tempo of the trial, in beats per minute; nil if it changes within the step.
  package var tempo: Double?
  /// The tempo that follows, in beats per minute; nil if it changes within the step.
  package var nextTempo: Double?

  package init(section: String, advice: Coach.Advice, tempo: Double?, nextTempo: Double?) {
    (self.section, self.advice, self.tempo, self.nextTempo) = (section, advice, tempo, nextTempo)
  }

  /// The decision as OSC and JSON name it: `up`, `down`, `again` or `done`.
  package var word: String {
    switch advice.move {
    case .step(let step): step > advice.place.step ? "up" : "down"
    case .again: "again"
    case .done: "done"
    }
  }

  /// The result of the trial and what follows, in two sentences.
  package var line: String { "\(played) \(follows)" }

  private var played: String {
    guard advice.shortfall.isEmpty else { return upperCased(advice.shortfall.joined(separator: ", ")) + "." }
    let trial = advice.trial
    let parts = [
      trial.spread.map { "spread \(TimingWords.number($0)) ms" },
      trial.hits > 0 ? "\(TimingWords.percent(trial.missed)) missed" : nil,
      trial.silent.map { "\(TimingWords.percent($0)) of the silent beats in the window" },
      trial.tempo.map { "tempo \(TimingWords.number($0)) % off" },
    ]
    return upperCased("\(parts.compactMap { $0 }.joined(separator: ", ")): goal reached.")
  }

  private var follows: String {
    let at = nextTempo.map { " at \(TimingWords.tempo($0))" } ?? ""
    switch advice.move {
    case .step(let step) where step > advice.place.step: return "On\(at)."
    case .step: return "Back\(at)."
    case .again(0): return "Stays\(at)."
    case .again: return "Again\(at)."
    case .done: return "The section is over."
    }
  }

  private func upperCased(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
