import MusicTime

/// The tempo range for controls.
package enum TempoProfile: String, CaseIterable, Sendable {
  case full, runner, watch

  /// The tempos that nudges, taps and controllers can reach.
  package var tempos: ClosedRange<Tempo> {
    let bounds =
      switch self {
      case .full: Tempo.range
      case .runner: 150_000...230_000
      case .watch: 40_000...150_000
      }
    return Tempo(clamping: bounds.lowerBound)...Tempo(clamping: bounds.upperBound)
  }

  /// The tempo and volume that the profile sets; nil: keeps the current ones.
  var start: (tempo: Tempo, volume: Volume)? {
    // 0.4 is within a volume's bounds.
    self == .runner ? (Tempo(clamping: 180_000), try! Volume(0.4)) : nil
  }

  func clamped(_ tempo: Tempo) -> Tempo { min(max(tempo, tempos.lowerBound), tempos.upperBound) }

  /// The end of a message about a bound.
  var ending: String { self == .full ? "" : " of the profile '\(rawValue)'" }

  private var range: String { "\(tempos.lowerBound)…\(tempos.upperBound)" }

  var allowed: String {
    let text = "\(range) \(Tempo.unit)"
    return self == .full ? text : "\(text), the profile '\(rawValue)'"
  }

  /// The tempo range and the values that the profile sets, for help.
  var summary: String {
    let summary = "`\(rawValue)` \(range)"
    guard let start else { return summary }
    return "\(summary), starts at \(start.tempo) and volume \(plain(start.volume.number))"
  }
}
