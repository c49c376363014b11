import MusicTime
import Validation

/// Suggests a runner's cadence for a speed.
///
/// The cadence is 170 at 3 m/s, plus 8 for each additional metre per second. If the resulting stride is longer than 1.3 of the
/// leg (0.53 of the height), 2 are added; if it is shorter than 0.7, 2 are taken away. A personal offset is added, and the result
/// is limited to 155…195. Each of these numbers is a `CadenceConstant`.
package struct CadenceModel: Equatable, Sendable {
  private var constants: [CadenceConstant: Double] = [:]

  package init() {}

  /// The value of a constant.
  package subscript(constant: CadenceConstant) -> Double { constants[constant] ?? constant.standard }

  /// The constants that differ from their defaults.
  package var changed: [CadenceConstant: Double] { constants }

  /// Changes constants, all or none.
  /// - Throws: `InvalidValue` if a value is out of range or the constants contradict each other.
  package mutating func set(_ values: [CadenceConstant: Double]) throws(InvalidValue) {
    var next = self
    for (constant, value) in values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard constant.bounds.contains(value) else {
        throw InvalidValue(constant.rawValue, plain(value), allowed: constant.allowed)
      }
      let value = value.rounded(parts: CadenceConstant.parts)
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

  /// The suggested cadence, in whole steps per minute.
  /// - Parameter speed: metres per second, 0 or more.
  package func cadence(at speed: Double) -> Int {
    let leg = self[.leg] * self[.height]
    // Compare strides as speeds, which avoids a division: 60 × speed = stride × cadence.
    var cadence = max(self[.cadence] + self[.slope] * (speed - self[.referenceSpeed]), 0)
    if 60 * speed > self[.longestStride] * leg * cadence {
      cadence += self[.nudge]
    } else if 60 * speed < self[.shortestStride] * leg * cadence {
      cadence -= self[.nudge]
    }
    return Int(min(max(cadence + self[.offset], self[.lowest]), self[.highest]).rounded())
  }

  /// The distance between two steps in metres.
  /// - Parameters:
  ///   - speed: metres per second.
  ///   - cadence: steps per minute.
  package static func stride(at speed: Double, cadence: Int) -> Double { 60 * speed / Double(cadence) }
}
