/// A runner's speed and cadence.
public struct Pace: Equatable, Sendable {
  /// The mean of the last readings in metres per second; 0 before the first.
  public var speed = 0.0
  /// Measured steps per minute; 0 if unknown.
  public var cadence = 0.0
  /// Steps per minute that the model suggests for the speed; 0 before the first reading.
  public var target = 0

  public init() {}
}
