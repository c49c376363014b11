import MusicTime

/// A document of the session folder, for lists.
package struct DocumentSummary: Sendable, Equatable {
  /// The path within the session folder.
  package let name: String
  /// The contents; nil if the document was not read or can't be played.
  package let content: Content?
  /// Whether the document was read and can't be played.
  package let isFaulty: Bool

  package struct Content: Sendable, Equatable {
    package let title: String
    package let songs: Int
    /// The length in seconds; nil if it has no end.
    package let seconds: Double?
    /// The length in seconds without the sections that last until the player goes on; nil if it repeats without end.
    package let leastSeconds: Double?
    /// The tempo and meter with which the music begins.
    package let tempo: Tempo
    package let meter: Meter

    package init(
      title: String, songs: Int, seconds: Double?, leastSeconds: Double? = nil, tempo: Tempo, meter: Meter
    ) {
      self.title = title
      self.songs = songs
      self.seconds = seconds
      self.leastSeconds = leastSeconds
      self.tempo = tempo
      self.meter = meter
    }
  }

  package init(name: String, content: Content?, isFaulty: Bool = false) {
    self.name = name
    self.content = content
    self.isFaulty = isFaulty
  }
}

/// Lists the documents of the session folder. Called on a work queue.
package typealias DocumentLister = @Sendable () -> [DocumentSummary]
