/// How a runner runs.
public struct Pace: Equatable, Sendable {
  /// The mean of the last readings in metres a second; 0 before the first.
  public var speed = 0.0
  /// Steps a minute as they are made; 0 before they are known.
  public var cadence = 0.0
  /// Steps a minute as the model suggests them for the speed; 0 before the first reading.
  public var target = 0

  public init() {}
}
