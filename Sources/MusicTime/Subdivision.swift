import Validation

/// The number of equal parts of each beat: 2 (halves of the beat) to 9.
package struct Subdivision: Hashable, Comparable, Sendable {
  /// Parts of a beat, within `range`.
  package let parts: Int

  /// Allowed numbers of parts of a beat.
  package static let range = 2...9
  /// All subdivisions, from the fewest parts on.
  package static let all = range.map { Subdivision(checked: $0) }

  private init(checked: Int) { parts = checked }

  /// - Throws: `InvalidValue` outside `range`.
  package init(_ parts: Int) throws(InvalidValue) {
    guard Subdivision.range.contains(parts) else {
      throw InvalidValue("subdivision", "\(parts)", allowed: "\(Subdivision.range.shown) parts of a beat")
    }
    self.parts = parts
  }

  package static func < (a: Subdivision, b: Subdivision) -> Bool { a.parts < b.parts }

  /// The starts of the parts after the first, as fractions of a beat.
  func offsets(swing: Swing) -> [Rational] {
    (1..<parts).map { part in
      guard [2, 4, 8].contains(parts), part % 2 == 1 else { return Rational(part, parts) }
      return Rational(part - 1, parts) + Rational(2, parts) * swing.split
    }
  }
}
