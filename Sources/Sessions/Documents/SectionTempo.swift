import MusicTime

/// The tempo of a section as a document gives it.
package enum SectionTempo: Equatable, Sendable {
  case constant(Tempo)
  /// Changes linearly over the section's beats, and reaches `to` at its end.
  case ramp(from: Tempo, to: Tempo)
  case ladder(TempoLadder)
  case random(RandomTempo)
  /// One tempo for each beat, from the section's first. The last tempo holds for the remaining beats.
  case beats([Tempo])

  /// The tempo of a document that gives none.
  static let standard = SectionTempo.constant(Tempo(clamping: 120_000))

  /// The tempo at the section's start.
  var first: Tempo {
    switch self {
    case .constant(let tempo), .ramp(let tempo, _): tempo
    case .ladder(let ladder): ladder.from
    case .random(let random): random.tempo(step: 0)
    case .beats(let tempos): tempos[0]
    }
  }
}

/// A tempo ladder: the tempo changes by a step every few bars.
package struct TempoLadder: Hashable, Sendable {
  /// The tempo of the first step.
  package var from: Tempo
  /// The tempo of the last step, whose size may be smaller than the others'.
  package var to: Tempo
  /// The size of a step in thousandths of a beat per minute, at least 1. `from` and `to` give the direction.
  package var by: Int
  /// Bars of one step, at least 1.
  package var every: Int
  /// What happens after the last step.
  package var end: End

  /// What happens after the last step.
  package enum End: String, CaseIterable, Sendable {
    /// The last tempo holds.
    case stay
    /// The section ends.
    case stop
    /// The steps go back to the first and up again, without end; the turning points are played once.
    case reverse
    /// The ladder restarts at the first step.
    case again
  }

  package init(from: Tempo, to: Tempo, by: Int, every: Int, end: End = .stay) {
    self.from = from
    self.to = to
    self.by = by
    self.every = every
    self.end = end
  }

  /// The number of steps from `from` to `to`.
  var steps: Int { (abs(to.thousandths - from.thousandths) + by - 1) / by + 1 }

  /// The number of steps after which the ladder repeats; nil if it never does.
  var period: Int? {
    switch end {
    case .stay, .stop: nil
    case .reverse: steps > 1 ? 2 * steps - 2 : nil
    case .again: steps > 1 ? steps : nil
    }
  }

  /// The tempo of a step, from 0. After the last step, `end` decides.
  func tempo(step: Int) -> Tempo {
    var step = period.map { step % $0 } ?? min(step, steps - 1)
    if step >= steps { step = 2 * steps - 2 - step }
    if step == steps - 1 { return to }
    let way = to > from ? by * step : -by * step
    return Tempo(clamping: from.thousandths + way)
  }

  /// The tempo in a bar, from 0, and the bar at which it ends (nil for never); nil if the ladder has stopped.
  func rung(bar: Int) -> (tempo: Tempo, end: Int?)? {
    let step = bar / every
    if end == .stop && step >= steps { return nil }
    let isLast = end != .stop && period == nil && step >= steps - 1
    return (tempo(step: step), isLast ? nil : (step + 1) * every)
  }
}
