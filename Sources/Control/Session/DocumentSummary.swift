import MusicTime

/// A document of the session folder, as lists show it.
package struct DocumentSummary: Sendable, Equatable {
  /// Its path in the session folder.
  package let name: String
  /// What is in it; nil if it was not read, or can't be played.
  package let content: Content?
  /// Whether it was read and can't be played.
  package let isFaulty: Bool

  package struct Content: Sendable, Equatable {
    package let title: String
    package let songs: Int
    /// nil if it has no end.
    package let seconds: Double?
    /// Its length without the sections that last until the player goes on; nil if it repeats without end.
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

/// Lists the documents of the session folder. Called on a queue for work that takes long.
package typealias DocumentLister = @Sendable () -> [DocumentSummary]
