import Validation

/// A time signature: the number of notes in a bar and their kind. The unit need not be a power of two.
package struct Meter: Hashable, Sendable {
  /// Notes in a bar, within `range`.
  package let count: Int
  /// The note as a part of a whole note, within `range`: 8 is an eighth.
  package let unit: Int

  /// Allowed numbers of notes, and allowed units.
  package static let range = 1...99
  /// The allowed meters, for messages.
  package static let allowed = "\(range.shown) / \(range.shown)"
  /// The allowed texts, for messages.
  package static let allowedText = "\(allowed), as in 7/8"

  /// - Throws: `InvalidValue` if either number is outside `range`.
  package init(_ count: Int, _ unit: Int) throws(InvalidValue) {
    guard Meter.range ~= count, Meter.range ~= unit else {
      throw InvalidValue("meter", "\(count)/\(unit)", allowed: Meter.allowed)
    }
    self.count = count
    self.unit = unit
  }

  /// Reads `7/8`.
  /// - Throws: `InvalidValue` if the text has another form or a number is outside `range`.
  package init(text: String) throws(InvalidValue) {
    guard let (count, unit) = integerPair(text, separator: "/") else {
      throw InvalidValue("meter", quoted(text), allowed: Meter.allowedText)
    }
    try self.init(count, unit)
  }

  /// 4/4.
  package static let common = Meter(count: 4, checkedUnit: 4)

  private init(count: Int, checkedUnit: Int) {
    self.count = count
    self.unit = checkedUnit
  }

  /// The bar's length in whole notes.
  package var barLength: Rational { Rational(count, unit) }

  /// The note that the meter counts.
  package var note: BeatUnit { BeatUnit(note: unit) }
}

extension Meter: CustomStringConvertible {
  package var description: String { "\(count)/\(unit)" }
}
