import MusicTime

/// How a song's playback differs from its document: percent of its tempos, a nudge, and silent bars.
package struct Rendition: Hashable, Sendable {
  var percent = 100
  /// The nudge: added to each tempo, in thousandths of a beat per minute.
  var nudge = 0
  /// The bars that are silent in addition to the document's.
  var gap = Gap.off

  /// The range of nudges, in thousandths of a beat per minute.
  package static let nudges = -100_000...100_000
  /// The largest nudge, in beats per minute.
  package static let mostNudged = nudges.upperBound / 1_000
  /// The range of nudges, for messages.
  package static let allowedNudges = "−\(mostNudged)…\(mostNudged) \(Tempo.unit)"

  package init(percent: Int = 100, nudge: Int = 0) { (self.percent, self.nudge) = (percent, nudge) }

  /// The nudge that a document needs to sound the same without `nudge`, at the same percentage.
  var documentNudge: Int { Int((Double(nudge) * 100 / Double(percent)).rounded()) }

  /// The played tempo for a tempo of the document, clamped to the range of tempos.
  func applied(to tempo: Tempo) -> Tempo {
    Tempo(clamping: (tempo.thousandths * percent + 50) / 100 + nudge)
  }
}

/// The speed of a session, in percent of its document's tempos.
package enum SessionSpeed {
  /// The range of speeds, in percent.
  package static let range = 10...400
  /// The speeds that a fader covers, in percent.
  static let faderRange = 50.0...150.0
  package static let allowed = "\(range.lowerBound)…\(range.upperBound) percent"
}
