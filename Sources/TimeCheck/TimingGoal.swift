/// What a player is to reach in some bars.
package struct TimingGoal: Hashable, Sendable {
  package static let bars = 1...1_000
  /// In milliseconds.
  package static let milliseconds = 0.1...100.0
  /// In percent.
  package static let percent = 0.0...100.0
  /// Of a tempo, in percent.
  package static let deviation = 0.1...20.0

  /// The bars that are judged together, at least 1.
  package var bars: Int
  /// The largest spread in milliseconds; nil if it does not matter.
  package var spread: Double?
  /// How far the mean may be from the target, in milliseconds; nil if it does not matter.
  package var mean: Double?
  /// How many clicks may be missed, in percent; nil if that does not matter.
  package var missed: Double?
  /// How many of the silent beats must be in the window, in percent; nil if that does not matter.
  package var silent: Double?
  /// How far the tempo of silent bars may be from the click's, in percent; nil if it does not matter.
  package var tempo: Double?

  package init(
    bars: Int, spread: Double? = nil, mean: Double? = nil, missed: Double? = nil, silent: Double? = nil,
    tempo: Double? = nil
  ) {
    (self.bars, self.spread, self.mean, self.missed) = (bars, spread, mean, missed)
    (self.silent, self.tempo) = (silent, tempo)
  }

  /// Whether it can only be reached where the click is silent at times.
  package var needsSilence: Bool { silent != nil || tempo != nil }

  /// Says how a trial falls short.
  /// - Returns: what is too much, as `spread 15.2 ms (12 ms)`; empty if the goal is reached.
  func shortfall(_ trial: Trial) -> [String] {
    var shortfall: [String] = []
    func check(_ name: String, _ value: Double?, _ limit: Double?, _ unit: String) {
      guard let limit else { return }
      guard let value else { return shortfall.append("too few hits for the \(name)") }
      guard value > limit else { return }
      shortfall.append(
        "\(name) \(TimingWords.number(value)) \(unit) (at most \(TimingWords.number(limit)))")
    }
    check("spread", trial.spread, spread, "ms")
    check("mean", abs(trial.mean), mean, "ms off")
    check("missed", trial.missed * 100, missed, "%")
    check("tempo", trial.tempo, tempo, "% off")
    if let silent {
      if let reached = trial.silent.map({ $0 * 100 }) {
        if reached < silent {
          shortfall.append(
            "\(TimingWords.number(reached)) % of the silent beats in the window (at least \(TimingWords.number(silent)))"
          )
        }
      } else {
        shortfall.append("no silent beat was heard")
      }
    }
    return shortfall
  }
}

/// What was played in the bars of a goal.
package struct Trial: Equatable, Sendable {
  /// Clicks that were hit.
  package var hits = 0
  /// The part of the clicks that were not, 0…1.
  package var missed = 0.0
  /// In milliseconds from the target; negative is early.
  package var mean = 0.0
  /// In milliseconds; nil for too few hits.
  package var spread: Double?
  /// The part of the silent beats that were hit in the window, 0…1; nil without any.
  package var silent: Double?
  /// How far the tempo of the silent bars was from the click's on average, in percent; nil for too few strokes.
  package var tempo: Double?

  package init(hits: Int = 0, missed: Double = 0, mean: Double = 0, spread: Double? = nil) {
    (self.hits, self.missed, self.mean, self.spread) = (hits, missed, mean, spread)
  }
}
