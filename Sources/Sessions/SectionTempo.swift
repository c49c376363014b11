import MusicTime

/// The tempo of a section as a document says it.
public enum SectionTempo: Equatable, Sendable {
  case constant(Tempo)
  /// Linear over the section's beats, reached at its end.
  case ramp(from: Tempo, to: Tempo)
  case ladder(TempoLadder)
  /// One for each beat, from the section's first; the last goes on.
  case beats([Tempo])

  /// What a document without a tempo has.
  static let standard = SectionTempo.constant(Tempo(clamping: 120_000))

  /// The tempo at the section's start.
  var first: Tempo {
    switch self {
    case .constant(let tempo), .ramp(let tempo, _): tempo
    case .ladder(let ladder): ladder.from
    case .beats(let tempos): tempos[0]
    }
  }
}

/// A coach's ladder: the tempo goes up or down by a step every few bars.
public struct TempoLadder: Hashable, Sendable {
  public var from: Tempo
  /// The last step; it may be smaller than the others.
  public var to: Tempo
  /// Thousandths of a beat a minute, at least 1; the direction follows from `from` and `to`.
  public var by: Int
  /// Bars of one step, at least 1.
  public var every: Int
  public var end: End

  /// What happens after the last step.
  public enum End: String, CaseIterable, Sendable {
    /// The last tempo goes on.
    case stay
    /// The section ends.
    case stop
    /// The steps are taken back to the first, and so on to and fro; the turning points are played once.
    case reverse
    /// It begins with the first step once more.
    case again
  }

  public init(from: Tempo, to: Tempo, by: Int, every: Int, end: End = .stay) {
    self.from = from
    self.to = to
    self.by = by
    self.every = every
    self.end = end
  }

  /// How many tempos there are from one end to the other.
  var steps: Int { (abs(to.thousandths - from.thousandths) + by - 1) / by + 1 }

  /// After how many steps it is as at the start; nil where it never is.
  var period: Int? {
    switch end {
    case .stay, .stop: nil
    case .reverse: steps > 1 ? 2 * steps - 2 : nil
    case .again: steps > 1 ? steps : nil
    }
  }

  /// The tempo of a step, from 0; beyond the last it is what the end says.
  func tempo(step: Int) -> Tempo {
    var step = period.map { step % $0 } ?? min(step, steps - 1)
    if step >= steps { step = 2 * steps - 2 - step }
    if step == steps - 1 { return to }
    let way = to > from ? by * step : -by * step
    return Tempo(clamping: from.thousandths + way)
  }
  /// What holds in a bar, from 0, and the bar where it ends (nil for never); nil after a ladder that has stopped.
  func rung(bar: Int) -> (tempo: Tempo, end: Int?)? {
    let step = bar / every
    if end == .stop && step >= steps { return nil }
    let isLast = end != .stop && period == nil && step >= steps - 1
    return (tempo(step: step), isLast ? nil : (step + 1) * every)
  }
}
