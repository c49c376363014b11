import Control

extension SongPlan {
  /// The song's length in seconds; nil if it has no end.
  package var seconds: Double? {
    guard loopStart == nil else { return nil }
    var sum = 0.0
    for plan in plans {
      guard let seconds = plan.clock?.seconds else { return nil }
      sum += seconds
    }
    return sum
  }
}

extension SongPlan {
  /// The length in seconds without open sections; nil if the song repeats without end.
  fileprivate var leastSeconds: Double? {
    loopStart == nil ? plans.reduce(0) { $0 + ($1.clock?.seconds ?? 0) } : nil
  }
}

extension Setlist {
  /// The length in seconds, with the pauses between songs and without open sections; nil if a song repeats without end.
  package var leastSeconds: Double? {
    var sum = pauses
    for entry in songs {
      guard let seconds = entry.song.leastSeconds else { return nil }
      sum += seconds
    }
    return sum
  }

  /// The pauses between songs, in seconds.
  private var pauses: Double {
    songs.dropLast().reduce(0) { sum, entry in
      if case .pause(let milliseconds) = entry.after { return sum + Double(milliseconds) / 1_000 }
      return sum
    }
  }

  /// The length in seconds, with the pauses between songs; nil if a song has no end. Waiting for a start counts as 0.
  package var seconds: Double? {
    var sum = pauses
    for entry in songs {
      guard let seconds = entry.song.seconds else { return nil }
      sum += seconds
    }
    return sum
  }
}
