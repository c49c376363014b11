import MusicTime

/// How a song is played otherwise than its document says: in percent of its tempos, by some beats a minute more or less, and
/// with silent bars.
package struct Rendition: Hashable, Sendable {
  var percent = 100
  /// Thousandths of a beat a minute that each tempo has more, or less.
  var nudge = 0
  /// The bars that are silent beside those of the document.
  var gap = Gap.off

  /// The largest nudge, up or down.
  package static let nudges = -100_000...100_000
  /// The same in beats a minute.
  package static let mostNudged = nudges.upperBound / 1_000
  /// The nudges, for messages.
  package static let allowedNudges = "−\(mostNudged)…\(mostNudged) \(Tempo.unit)"

  package init(percent: Int = 100, nudge: Int = 0) { (self.percent, self.nudge) = (percent, nudge) }

  /// A tempo of the document as it is played, within the range of tempos.
  func applied(to tempo: Tempo) -> Tempo {
    Tempo(clamping: (tempo.thousandths * percent + 50) / 100 + nudge)
  }
}

/// The speed of a session, in percent of its document's tempos.
package enum SessionSpeed {
  /// The speeds that can be set.
  package static let range = 10...400
  /// The speeds that a fader covers.
  static let faderRange = 50.0...150.0
  package static let allowed = "\(range.lowerBound)…\(range.upperBound) percent"
}
