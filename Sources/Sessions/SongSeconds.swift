import Control

extension SongPlan {
  /// How long it lasts in seconds; nil where it goes on until it is stopped.
  public var seconds: Double? {
    guard loopStart == nil else { return nil }
    var sum = 0.0
    for plan in plans {
      guard let seconds = BeatClock(plan)?.seconds else { return nil }
      sum += seconds
    }
    return sum
  }
}
