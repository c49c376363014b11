import MusicTime

/// The speed of a session, in percent of its document's tempos.
package enum SessionSpeed {
  /// The speeds that can be set.
  package static let range = 10...400
  /// The speeds that a fader covers.
  static let faderRange = 50.0...150.0
  package static let allowed = "\(range.lowerBound)…\(range.upperBound) percent"
}

/// How a song is played faster or slower than its document says: in percent, and by some beats a minute more or less.
struct SongPace: Hashable {
  var percent = 100
  /// Thousandths of a beat a minute that each tempo has more, or less.
  var nudge = 0

  /// The largest nudge, up or down.
  static let nudges = -100_000...100_000

  /// A tempo of the document as it is played, within the range of tempos.
  func applied(to tempo: Tempo) -> Tempo {
    Tempo(clamping: (tempo.thousandths * percent + 50) / 100 + nudge)
  }
}
