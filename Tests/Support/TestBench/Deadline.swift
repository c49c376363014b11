/// The moment at which a wait gives up.
public struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  public static func within(_ duration: Duration) -> Deadline {
    Deadline(instant: ContinuousClock.now + duration)
  }

  public var hasPassed: Bool { ContinuousClock.now >= instant }

  /// The remaining time in whole milliseconds, rounded up, for `poll`; 0 if the moment has passed.
  var milliseconds: Int32 {
    let left = (instant - ContinuousClock.now) / .milliseconds(1)
    return Int32(max(0, min(left.rounded(.up), 1_000_000_000)))
  }

  func earlier(of duration: Duration) -> Deadline {
    Deadline(instant: min(instant, ContinuousClock.now + duration))
  }
}
