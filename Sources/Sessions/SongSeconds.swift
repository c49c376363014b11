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
