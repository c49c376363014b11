/// What is played while hits are judged, in the words of its document.
package struct Music: Equatable, Sendable {
  /// The song's title and the path of its document; empty for the metronome.
  package var title: String
  package var document: String
  /// Such as `7/8`.
  package var meter: String

  package init(title: String = "", document: String = "", meter: String = "") {
    (self.title, self.document, self.meter) = (title, document, meter)
  }

  /// Whether it is the same song, whatever its meter.
  package func isSameSong(as other: Music) -> Bool { title == other.title && document == other.document }
}

/// The tempos of a take, in beats a minute.
package struct TempoRange: Equatable, Sendable {
  package private(set) var low: Double
  package private(set) var high: Double
  package private(set) var last: Double

  package init(_ tempo: Double) { (low, high, last) = (tempo, tempo, tempo) }

  package mutating func note(_ tempo: Double) {
    (low, high, last) = (min(low, tempo), max(high, tempo), tempo)
  }
}
