import Control

extension SongPlan {
  /// The song's length in seconds; nil if it has no end.
  package var seconds: Double? {
    guard loopStart == nil else { return nil }
    var sum = 0.0
    for plan in plans {
      guard let seconds = BeatClock(plan)?.seconds else { return nil }
      sum += seconds
    }
    return sum
  }
}

extension Setlist {
  /// The length with the pauses between songs, in seconds; nil if a song has no end. Waiting for a start takes no time.
  package var seconds: Double? {
    var sum = 0.0
    for (index, entry) in songs.enumerated() {
      guard let seconds = entry.song.seconds else { return nil }
      sum += seconds
      if case .pause(let milliseconds) = entry.after, index < songs.count - 1 {
        sum += Double(milliseconds) / 1_000
      }
    }
    return sum
  }
}
