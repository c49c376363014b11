/// What a player is to reach in some bars.
package struct TimingGoal: Hashable, Sendable {
  package static let bars = 1...1_000
  /// In milliseconds.
  package static let milliseconds = 0.1...100.0
  /// In percent.
  package static let percent = 0.0...100.0

  /// The bars that are judged together, at least 1.
  package var bars: Int
  /// The largest spread in milliseconds; nil if it does not matter.
  package var spread: Double?
  /// How far the mean may be from the target, in milliseconds; nil if it does not matter.
  package var mean: Double?
  /// How many clicks may be missed, in percent; nil if that does not matter.
  package var missed: Double?

  package init(bars: Int, spread: Double? = nil, mean: Double? = nil, missed: Double? = nil) {
    (self.bars, self.spread, self.mean, self.missed) = (bars, spread, mean, missed)
  }

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

  package init(hits: Int = 0, missed: Double = 0, mean: Double = 0, spread: Double? = nil) {
    (self.hits, self.missed, self.mean, self.spread) = (hits, missed, mean, spread)
  }
}
