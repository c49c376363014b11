import MusicTime

/// Suggests how many steps a minute suit a runner at a speed.
///
/// At 3 m/s it is 170, and 8 more for each metre a second more. While the stride that this gives is longer than 1.3 or
/// shorter than 0.7 of the leg (0.53 of the height), the cadence gives way by steps of 2. A personal offset is added, and
/// the whole is held within 155…195. Each of these numbers is a `CadenceConstant`.
public struct CadenceModel: Equatable, Sendable {
  private var constants: [CadenceConstant: Double] = [:]

  public init() {}

  public subscript(constant: CadenceConstant) -> Double { constants[constant] ?? constant.standard }

  /// Those that are not as at the beginning.
  public var changed: [CadenceConstant: Double] { constants }

  /// Changes constants, or nothing where they don't fit each other.
  /// - Throws: `InvalidValue`.
  public mutating func set(_ values: [CadenceConstant: Double]) throws(InvalidValue) {
    var next = self
    for (constant, value) in values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard constant.bounds.contains(value) else {
        throw InvalidValue(constant.rawValue, plain(value), allowed: constant.allowed)
      }
      next.constants[constant] = value == constant.standard ? nil : value
    }
    try next.check(.lowest, isBelow: .highest)
    try next.check(.shortestStride, isBelow: .longestStride)
    self = next
  }

  private func check(_ low: CadenceConstant, isBelow high: CadenceConstant) throws(InvalidValue) {
    guard self[low] > self[high] else { return }
    throw InvalidValue(
      low.rawValue, plain(self[low]), allowed: "at most \(high.rawValue), which is \(plain(self[high]))")
  }

  /// Whole steps a minute.
  /// - Parameter speed: metres a second, 0 or more.
  public func cadence(at speed: Double) -> Int {
    let leg = self[.leg] * self[.height]
    // Strides are compared as speeds, at which nothing is divided: 60 × speed = stride × cadence.
    var cadence = max(self[.cadence] + self[.slope] * (speed - self[.referenceSpeed]), 0)
    while 60 * speed > self[.longestStride] * leg * cadence, cadence < self[.highest] {
      cadence += self[.nudge]
    }
    while 60 * speed < self[.shortestStride] * leg * cadence, cadence > self[.lowest] {
      cadence -= self[.nudge]
    }
    return Int(min(max(cadence + self[.offset], self[.lowest]), self[.highest]).rounded())
  }

  /// Metres from one foot's step to the other's.
  /// - Parameters:
  ///   - speed: metres a second.
  ///   - cadence: steps a minute.
  public static func stride(at speed: Double, cadence: Int) -> Double { 60 * speed / Double(cadence) }
}
