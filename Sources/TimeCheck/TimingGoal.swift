/// The values that a player must reach in a number of bars.
package struct TimingGoal: Hashable, Sendable {
  /// Allowed numbers of bars.
  package static let bars = 1...1_000
  /// Allowed limits for the spread and the mean, in milliseconds.
  package static let milliseconds = 0.1...100.0
  /// Allowed limits for parts, in percent.
  package static let percent = 0.0...100.0
  /// Allowed limits for the deviation of a tempo, in percent.
  package static let deviation = 0.1...20.0

  /// The bars of a trial, at least 1.
  package var bars: Int
  /// The largest spread in milliseconds; nil for no limit.
  package var spread: Double?
  /// The largest distance of the mean from the target, in milliseconds; nil for no limit.
  package var mean: Double?
  /// The largest part of missed clicks, in percent; nil for no limit.
  package var missed: Double?
  /// The smallest part of the silent beats in the window, in percent; nil for no limit.
  package var silent: Double?
  /// The largest deviation of the tempo in silent bars from the click's, in percent; nil for no limit.
  package var tempo: Double?

  package init(
    bars: Int, spread: Double? = nil, mean: Double? = nil, missed: Double? = nil, silent: Double? = nil,
    tempo: Double? = nil
  ) {
    (self.bars, self.spread, self.mean, self.missed) = (bars, spread, mean, missed)
    (self.silent, self.tempo) = (silent, tempo)
  }

  /// Whether it can be reached only in bars with a silent click.
  package var needsSilence: Bool { silent != nil || tempo != nil }

  /// Describes each value of a trial that misses its limit.
  /// - Returns: descriptions such as `spread 15.2 ms (at most 12)`; empty if the goal is reached.
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
        shortfall.append("no silent beats in these bars")
      }
    }
    return shortfall
  }
}

/// The player's values in the bars of a goal.
package struct Trial: Equatable, Sendable {
  /// The number of clicks that were hit.
  package var hits = 0
  /// The part of the clicks that were missed, 0…1.
  package var missed = 0.0
  /// The mean distance from the target in milliseconds; negative is early.
  package var mean = 0.0
  /// In milliseconds; nil for too few hits.
  package var spread: Double?
  /// The part of the silent beats that were hit in the window, 0…1; nil without silent beats.
  package var silent: Double?
  /// The mean deviation of the tempo in silent bars from the click's, in percent; nil for too few strokes.
  package var tempo: Double?

  package init(hits: Int = 0, missed: Double = 0, mean: Double = 0, spread: Double? = nil) {
    (self.hits, self.missed, self.mean, self.spread) = (hits, missed, mean, spread)
  }
}
