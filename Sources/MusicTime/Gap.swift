import Validation

/// Alternating bars that sound and bars that are silent: `4+4`. In the silent bars the player keeps the time alone.
package struct Gap: Hashable, Sendable {
  /// Every bar sounds.
  package static let off = Gap(unchecked: 0, 0)
  /// Every other bar is silent.
  package static let everyOther = Gap(unchecked: 1, 1)

  /// Bars that may sound, if the gap is on.
  package static let plays = 1...99
  /// Bars that may be silent after them.
  package static let rests = 0...99

  /// Bars that sound, within `plays`; 0 if the gap is off.
  package let play: Int
  /// Silent bars after them.
  package let rest: Int

  private init(unchecked play: Int, _ rest: Int) { (self.play, self.rest) = (play, rest) }

  /// - Throws: `InvalidValue` unless the bars are within `plays` and `rests`, or both are 0 (`off`).
  package init(play: Int, rest: Int) throws(InvalidValue) {
    guard Gap.plays ~= play && Gap.rests ~= rest || (play, rest) == (0, 0) else {
      throw Gap.invalid("\(play)+\(rest)")
    }
    (self.play, self.rest) = (play, rest)
  }

  /// Reads `4+4`.
  /// - Throws: `InvalidValue` if the text has another form or a number is out of range.
  package init(text: String) throws(InvalidValue) {
    guard let (play, rest) = integerPair(text, separator: "+") else { throw Gap.invalid(quoted(text)) }
    try self.init(play: play, rest: rest)
  }

  private static func invalid(_ value: String) -> InvalidValue {
    InvalidValue(
      "gap", value,
      allowed: "\(plays.shown) bars that sound and \(rests.shown) that are silent, as in 4+4; 0+0 is none")
  }

  /// The value after the toggle key or pedal: `off`, or `everyOther` if it was off.
  package var toggled: Gap { self == .off ? .everyOther : .off }
}

extension Gap: CustomStringConvertible {
  package var description: String { "\(play)+\(rest)" }
}
