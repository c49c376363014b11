import Validation

/// A tempo in beat units per minute, exact to a thousandth.
package struct Tempo: Hashable, Comparable, Sendable {
  /// Thousandths of a beat per minute, within `range`.
  package let thousandths: Int

  /// Allowed tempos, in thousandths of a beat per minute.
  package static let range = 1_000...999_999

  /// Allowed tempos, in beats per minute.
  package static let bounds = ones(thousandths: range)
  /// The unit, for messages.
  package static let unit = "beats a minute"
  /// The allowed tempos, for messages.
  package static let allowed = "\(decimalText(thousandths: range)) \(unit)"

  /// Allowed steps between two tempos, in thousandths of a beat per minute.
  package static let steps = 1...range.upperBound - range.lowerBound
  /// Allowed steps, in beats per minute.
  package static let stepBounds = ones(thousandths: steps)
  /// The allowed steps, for messages.
  package static let allowedSteps = "\(decimalText(thousandths: steps)) \(unit)"

  /// Allowed nudges, in beats per minute; the tempo stops at its bounds.
  package static let nudges = -999.0...999.0
  /// The allowed nudges, for messages.
  package static let allowedNudges = "−\(Int(-nudges.lowerBound))…\(Int(nudges.upperBound)) \(unit)"

  /// - Throws: `InvalidValue` outside `range`.
  package init(thousandths: Int) throws(InvalidValue) {
    guard Tempo.range.contains(thousandths) else {
      throw InvalidValue("tempo", decimalText(thousandths: thousandths), allowed: Tempo.allowed)
    }
    self.thousandths = thousandths
  }

  /// Rounds a number of beats per minute to the nearest thousandth (ties away from zero).
  /// - Throws: `InvalidValue` if the number is not finite or rounds to a tempo outside `range`.
  package init(_ beatsPerMinute: Double) throws(InvalidValue) {
    guard let thousandths = Int(exactly: (beatsPerMinute * 1_000).rounded()),
      Tempo.range.contains(thousandths)
    else { throw InvalidValue("tempo", "\(beatsPerMinute)", allowed: Tempo.allowed) }
    self.thousandths = thousandths
  }

  /// Reads a decimal number: `120`, `133.7`.
  /// - Throws: `InvalidValue` if the text is not a number or the tempo is outside `range`.
  package init(text: String) throws(InvalidValue) {
    guard text.allSatisfy({ "0"..."9" ~= $0 || $0 == "." || $0 == "-" }), let beatsPerMinute = Double(text),
      let tempo = try? Tempo(beatsPerMinute)
    else {
      let pointed = withDecimalPoint(text).map { "written with a point, as \($0)" }
      throw InvalidValue("tempo", quoted(text), allowed: pointed ?? Tempo.allowed)
    }
    self = tempo
  }

  /// The nearest allowed tempo, for a nudge that would exceed a bound.
  package init(clamping thousandths: Int) {
    self.thousandths = min(max(thousandths, Tempo.range.lowerBound), Tempo.range.upperBound)
  }

  /// The tempo changed by `thousandths`, limited to `range`.
  package func nudged(by thousandths: Int) -> Tempo {
    // Limit the step to the width of the range, so that the sum can't overflow.
    let bound = Tempo.range.upperBound
    return Tempo(clamping: self.thousandths + min(max(thousandths, -bound), bound))
  }

  /// Within `bounds`.
  package var beatsPerMinute: Double { Double(thousandths) / 1_000 }

  package static func < (a: Tempo, b: Tempo) -> Bool { a.thousandths < b.thousandths }
}

extension Tempo: CustomStringConvertible {
  /// The tempo as a user types it: `120`, `133.7`.
  package var description: String { decimalText(thousandths: thousandths) }
}

/// The tempo of a section.
package enum TempoCurve: Hashable, Sendable {
  case constant(Tempo)
  /// Changes linearly over the section's beats, and reaches `to` at its end.
  case ramp(from: Tempo, to: Tempo)
  /// One tempo for each beat, from the section's first. The last tempo holds for the remaining beats.
  case beats([Tempo])
}
