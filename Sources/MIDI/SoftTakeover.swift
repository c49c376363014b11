/// Pick-up: a fader has no effect until it stands where the value is, or passes it, so that the value doesn't jump.
///
/// Positions and values are parts of the fader's way, 0…1.
public struct SoftTakeover: BitwiseCopyable, Sendable {
  /// How near is near enough: a step and a half of a fader with 128 steps.
  public static let tolerance = 1.5 / 127
  /// What a value may be off by for having been rounded.
  private static let rounding = 0.005

  /// Where the fader was last; nil where nobody knows.
  private var last: Double?
  /// What it gave last, while it has a hold on the value.
  private var given: Double?

  public init() {}

  /// Takes a position.
  /// - Parameter current: the value as it stands; outside 0…1 where it is beyond the fader's range.
  /// - Returns: whether the value is to follow.
  public mutating func take(_ position: Double, current: Double) -> Bool {
    defer { last = position }
    // Somebody else has moved the value: the fader no longer stands where it is.
    if let given, abs(given - current) > SoftTakeover.rounding { self.given = nil }
    let isThere = abs(position - current) <= SoftTakeover.tolerance
    let hasPassed = last.map { ($0 - current) * (position - current) <= 0 } ?? false
    guard given != nil || isThere || hasPassed else { return false }
    given = position
    return true
  }
}
