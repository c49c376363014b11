/// Selects takes. A condition that is nil selects all.
package struct LogFilter: Equatable, Sendable {
  /// The earliest start of a take, in milliseconds since the Unix epoch.
  package var since: Int64?
  /// The time before which a take must begin, in milliseconds since the Unix epoch.
  package var before: Int64?
  /// A part of the song's title, in upper or lower case; the title of takes without a document is `metronome`.
  package var song: String?
  /// The number of a take.
  package var number: Int64?

  package init(since: Int64? = nil, before: Int64? = nil, song: String? = nil, number: Int64? = nil) {
    (self.since, self.before, self.song, self.number) = (since, before, song, number)
  }

  /// Selects the takes of the last days.
  /// - Parameters:
  ///   - count: how many days, today included.
  ///   - now: in milliseconds since the Unix epoch.
  package static func days(_ count: Int, until now: Int64, in zone: Zone) -> LogFilter {
    LogFilter(since: zone.start(of: Day(now, in: zone).adding(1 - count)))
  }

  /// Whether the take's song is selected. The other conditions are part of the query.
  func meets(_ take: LoggedTake) -> Bool {
    guard let song else { return true }
    let title = take.music.title.isEmpty ? "metronome" : take.music.title
    return title.lowercased().contains(song.lowercased())
  }
}
