import Validation

/// The note that counts as one beat: any plain, dotted or double-dotted note from a whole to a 99th.
///
/// A dot adds half the note's length: a dotted quarter is 3/8 of a whole note, a double-dotted one 7/16.
package struct BeatUnit: Hashable, Sendable {
  /// The beat's length in whole notes.
  package let length: Rational

  /// Allowed numerators and denominators of a length.
  package static let numbers = 1...1_000
  /// The allowed notes, for messages.
  package static let allowed =
    "a note from 1/\(Meter.range.lowerBound) to 1/\(Meter.range.upperBound), plain, dotted (1/4. or 3/8) or double-dotted (1/4.. or 7/16)"

  /// - Parameter note: the note as a part of a whole note. `Meter` has checked the range.
  init(note: Int) {
    length = Rational(1, note)
  }

  /// - Throws: `InvalidValue` if the length does not belong to a plain, dotted or double-dotted note.
  package init(_ numerator: Int, _ denominator: Int) throws(InvalidValue) {
    guard let length = BeatUnit.noteLength(numerator, denominator) else {
      throw InvalidValue("beat unit", "\(numerator)/\(denominator)", allowed: BeatUnit.allowed)
    }
    self.length = length
  }

  /// Reads `1/4`, `1/4.` (dotted), `1/4..` (double-dotted) or a length such as `3/8`.
  /// - Throws: `InvalidValue` if the text has another form.
  package init(text: String) throws(InvalidValue) {
    let note = text.prefix { $0 != "." }
    let dots = text.count - note.count
    guard let (numerator, denominator) = integerPair(note, separator: "/"),
      text.dropFirst(note.count).allSatisfy({ $0 == "." }), dots == 0 || (dots <= 2 && numerator == 1),
      let length = BeatUnit.noteLength(numerator, denominator)
    else { throw InvalidValue("beat unit", quoted(text), allowed: BeatUnit.allowed) }
    self.length = length * [Rational(1), Rational(3, 2), Rational(7, 4)][dots]
  }

  /// n/d is a note 1/k (k = d/n), a dotted one 3/2k (k = 3d/2n) or a double-dotted one 7/4k (k = 7d/4n).
  private static func noteLength(_ numerator: Int, _ denominator: Int) -> Rational? {
    guard numbers ~= numerator, numbers ~= denominator else { return nil }
    let length = Rational(numerator, denominator)
    let isNote = [Rational(1), Rational(3, 2), Rational(7, 4)].contains { dotted in
      let note = dotted / length
      return note.denominator == 1 && Meter.range ~= note.numerator
    }
    return isNote ? length : nil
  }
}

extension BeatUnit: CustomStringConvertible {
  package var description: String { "\(length.numerator)/\(length.denominator)" }
}
