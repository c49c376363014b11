/// Which takes are meant.
package struct LogFilter: Equatable, Sendable {
  /// Takes that began at this time or later, and before this one; in milliseconds since the Unix epoch.
  package var since: Int64?
  package var before: Int64?
  /// A part of the song's title, in any case; `metronome` for what was played without a document.
  package var song: String?
  /// A take's number.
  package var number: Int64?

  package init(since: Int64? = nil, before: Int64? = nil, song: String? = nil, number: Int64? = nil) {
    (self.since, self.before, self.song, self.number) = (since, before, song, number)
  }

  /// Today and the days before it.
  package static func days(_ count: Int, until now: Int64, in zone: Zone) -> LogFilter {
    LogFilter(since: zone.start(of: Day(now, in: zone).adding(1 - count)))
  }

  /// Whether a take is of the song that is meant.
  func meets(_ take: LoggedTake) -> Bool {
    guard let song else { return true }
    let title = take.music.title.isEmpty ? "metronome" : take.music.title
    return title.lowercased().contains(song.lowercased())
  }
}
