/// Pick-up: a fader has no effect until it reaches or passes the current value, so that the value doesn't jump.
///
/// Positions and values are fractions of the fader's travel, 0…1.
package struct SoftTakeover: BitwiseCopyable, Sendable {
  /// The distance that counts as reached: one and a half steps of a fader with 128 steps.
  package static let tolerance = 1.5 / 127
  /// The largest difference that rounding can make to a value set by this fader.
  private static let rounding = 0.005

  /// The fader's last position; nil if unknown.
  private var last: Double?
  /// The value that the fader set last, while it controls the value.
  private var given: Double?

  package init() {}

  /// Handles a new position.
  /// - Parameter current: the current value; outside 0…1 if it is beyond the fader's range.
  /// - Returns: whether the value should follow the fader.
  package mutating func take(_ position: Double, current: Double) -> Bool {
    defer { last = position }
    // The value was changed elsewhere, so the fader must pick it up again.
    if let given, abs(given - current) > SoftTakeover.rounding { self.given = nil }
    let isThere = abs(position - current) <= SoftTakeover.tolerance
    let hasPassed = last.map { ($0 - current) * (position - current) <= 0 } ?? false
    guard given != nil || isThere || hasPassed else { return false }
    given = position
    return true
  }
}
