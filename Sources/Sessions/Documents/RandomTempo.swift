import Engine
import MusicTime

/// Tempos that are drawn at random between two bounds; a new one every few bars. The same seed draws the same tempos.
package struct RandomTempo: Hashable, Sendable {
  /// The number of draws after which the tempos repeat. It is even, so that no tempo follows itself at the repetition either.
  package static let draws = 64

  /// The bounds, which can be drawn.
  package let low: Tempo
  package let high: Tempo
  /// The distance of two tempos that can be drawn, in thousandths of a beat per minute, at least 1.
  package let by: Int
  /// Bars of one tempo, at least 1.
  package let every: Int
  /// Selects the tempos.
  package let seed: UInt64

  /// - Parameters:
  ///   - a: one bound.
  ///   - b: the other.
  package init(between a: Tempo, and b: Tempo, by: Int, every: Int, seed: UInt64) {
    (low, high) = (min(a, b), max(a, b))
    (self.by, self.every, self.seed) = (by, every, seed)
  }

  /// How many tempos can be drawn.
  private var choices: Int { (high.thousandths - low.thousandths) / by + 1 }

  /// The tempo of a step, from 0. No tempo follows itself if there is another.
  func tempo(step: Int) -> Tempo {
    let step = step % RandomTempo.draws
    return Tempo(clamping: low.thousandths + by * (step % 2 == 0 ? free(step) : between(step)))
  }

  /// The choice of an even step, from 0.
  private func free(_ step: Int) -> Int {
    // If there are only two tempos, they alternate.
    choices == 2 ? Int(seed % 2) : Int(splitMix64(seed, UInt64(step)) % UInt64(choices))
  }

  /// The choice of an odd step: any except those of the steps before and after it.
  private func between(_ step: Int) -> Int {
    let neighbours = Set([free(step - 1), free((step + 1) % RandomTempo.draws)]).sorted()
    guard choices > neighbours.count else { return free(step - 1) }
    var choice = Int(splitMix64(seed, UInt64(step)) % UInt64(choices - neighbours.count))
    for neighbour in neighbours where choice >= neighbour { choice += 1 }
    return choice
  }
}

/// A tempo that changes every few bars.
protocol SteppedTempo: Sendable {
  /// Bars of one step.
  var every: Int { get }
  /// The number of steps after which they repeat; nil if they never do.
  var period: Int? { get }
  /// The tempo in a bar, from 0, and the bar at which it ends (nil for never); nil if the steps are over.
  func rung(bar: Int) -> (tempo: Tempo, end: Int?)?
}

extension TempoLadder: SteppedTempo {}

extension RandomTempo: SteppedTempo {
  var period: Int? { RandomTempo.draws }

  func rung(bar: Int) -> (tempo: Tempo, end: Int?)? {
    (tempo(step: bar / every), (bar / every + 1) * every)
  }
}
