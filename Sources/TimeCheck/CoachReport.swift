/// What a coach decided, for people.
package struct CoachReport: Equatable, Sendable {
  /// The section's name; empty if it has none.
  package var section: String
  package var advice: Coach.Advice
  /// In beats a minute: of what was played, and of what follows. nil where it changes within a step.
  package var tempo: Double?
  package var nextTempo: Double?

  package init(section: String, advice: Coach.Advice, tempo: Double?, nextTempo: Double?) {
    (self.section, self.advice, self.tempo, self.nextTempo) = (section, advice, tempo, nextTempo)
  }

  /// `up`, `down`, `again` or `done`.
  package var word: String {
    switch advice.move {
    case .step(let step): step > advice.place.step ? "up" : "down"
    case .again: "again"
    case .done: "done"
    }
  }

  /// What was played, and what follows.
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
