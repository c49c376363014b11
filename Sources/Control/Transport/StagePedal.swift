import Realtime

/// A foot's presses of a pedal that does one thing, `Update.advance`.
struct StagePedal {
  /// A press so soon after another is the same press: a foot that bounces, or a player who is not sure of it.
  static let bounce = Duration.milliseconds(500)

  private var end = Instant.distantPast

  /// Handles a press.
  /// - Returns: whether it counts.
  mutating func press(at time: Instant) -> Bool {
    defer { end = max(end, time + StagePedal.bounce) }
    return time >= end
  }
}
