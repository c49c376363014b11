import Realtime

/// Filters the presses of a pedal for `Update.advance`.
struct StagePedal {
  /// A press within this time after one that had an effect is ignored: the foot bounced, or the player was not sure.
  static let bounce = Duration.milliseconds(500)

  private var end = Instant.distantPast

  /// Whether a press at this time counts.
  func admits(at time: Instant) -> Bool { time >= end }

  /// Notes a press that had an effect.
  mutating func note(at time: Instant) { end = time + StagePedal.bounce }
}
