import Validation

/// How far the second of each pair of subdivisions is delayed, exact to a thousandth.
///
/// The pair is split at 1/2 + swing/4: 0 is straight (50 %), 0.667 a triplet feel (66.7 %), 1 dotted (75 %), the
/// range of the swing control on drum machines. It affects the binary subdivisions 2, 4 and 8.
package struct Swing: Hashable, Sendable {
  /// Thousandths, within `range`.
  package let thousandths: Int

  /// No swing.
  package static let straight = Swing(checked: 0)

  private init(checked: Int) { thousandths = checked }

  /// Allowed amounts, in thousandths.
  package static let range = 0...1_000
  /// Allowed amounts.
  package static let bounds = ones(thousandths: range)
  /// Allowed first parts of the pair, in per cent.
  package static let percents = 50.0...75.0
  /// The meanings of some amounts, for messages.
  package static let meanings = "0 straight, 0.667 triplet, 1 dotted"
  /// The allowed per cents, for messages.
  package static let allowedPercents = "\(Int(percents.lowerBound))%…\(Int(percents.upperBound))%"
  /// The allowed amounts and texts, for messages.
  package static let allowed =
    "\(decimalText(thousandths: range)) (\(meanings)), or \(allowedPercents) of the pair"

  /// - Throws: `InvalidValue` if the amount is not finite or outside `bounds`.
  package init(_ amount: Double) throws(InvalidValue) {
    guard amount.isFinite, Swing.bounds ~= amount else {
      // Drummers give the first part in per cent of the pair.
      let percent = Swing.percents ~= amount ? "; \(Int(amount)) per cent is written \(Int(amount))%" : ""
      throw InvalidValue("swing", "\(amount)", allowed: Swing.allowed + percent)
    }
    thousandths = Int((amount * 1_000).rounded())
  }

  /// Reads an amount, `0.48`, or the first part in per cent of the pair, `62%`.
  /// - Throws: `InvalidValue` if the text has another form or is outside `bounds` or `percents`.
  package init(text: String) throws(InvalidValue) {
    guard text.last == "%" else {
      guard let amount = Double(text) else {
        let pointed = withDecimalPoint(text).map { "written with a point, as \($0)" }
        throw InvalidValue("swing", quoted(text), allowed: pointed ?? Swing.allowed)
      }
      try self.init(amount)
      return
    }
    guard let percent = Double(text.dropLast().trimmingSpaces), Swing.percents ~= percent else {
      throw InvalidValue("swing", quoted(text), allowed: Swing.allowed)
    }
    try self.init((percent - 50) / 25)
  }

  /// The first part in per cent of the pair, within `percents`.
  package var percent: Double { 50 + Double(thousandths) / 40 }

  /// Within `bounds`.
  package var amount: Double { Double(thousandths) / 1_000 }

  /// The split point as a part of the pair. 0.333 and 0.667 mean exact thirds, so that a triplet feel falls on the triplet.
  var split: Rational {
    let amount =
      switch thousandths {
      case 333: Rational(1, 3)
      case 667: Rational(2, 3)
      default: Rational(thousandths, 1_000)
      }
    return Rational(1, 2) + amount * Rational(1, 4)
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
