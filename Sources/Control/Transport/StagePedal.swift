import Realtime

/// A foot's presses of a pedal that does one thing, `Update.advance`.
struct StagePedal {
  /// A press so soon after one that had an effect is the same press: a foot that bounces, or a player who is not sure of it.
  static let bounce = Duration.milliseconds(500)

  private var end = Instant.distantPast

  /// Whether a press counts.
  func admits(at time: Instant) -> Bool { time >= end }

  /// A press had an effect.
  mutating func note(at time: Instant) { end = time + StagePedal.bounce }
}
