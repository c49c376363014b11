/// The song and meter that play while hits are judged.
package struct Music: Equatable, Sendable {
  /// The song's title; empty for the metronome.
  package var title: String
  /// The path of the song's document; empty for the metronome.
  package var document: String
  /// For example `7/8`.
  package var meter: String

  package init(title: String = "", document: String = "", meter: String = "") {
    (self.title, self.document, self.meter) = (title, document, meter)
  }

  /// Whether title and document are equal; the meter may differ.
  package func isSameSong(as other: Music) -> Bool { title == other.title && document == other.document }
}

/// The lowest, highest and last tempo of a take, in beats per minute.
package struct TempoRange: Equatable, Sendable {
  package private(set) var low: Double
  package private(set) var high: Double
  package private(set) var last: Double

  package init(_ tempo: Double) { (low, high, last) = (tempo, tempo, tempo) }

  /// Notes a further tempo.
  package mutating func note(_ tempo: Double) {
    (low, high, last) = (min(low, tempo), max(high, tempo), tempo)
  }
}
