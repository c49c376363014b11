import Validation

/// How far the second of each pair of subdivisions is delayed, exact to a thousandth.
///
/// The pair is split at 1/2 + swing/4: 0 is straight (50 %), 0.667 a triplet feel (66.7 %), 1 dotted (75 %), the
/// range of the swing control on drum machines. It affects the binary subdivisions 2, 4 and 8.
public struct Swing: Hashable, Sendable {
  /// Thousandths, 0…1000.
  public let thousandths: Int

  /// No swing.
  public static let straight = Swing(checked: 0)

  private init(checked: Int) { thousandths = checked }

  /// - Throws: `InvalidValue` if the amount is not finite or outside 0…1.
  public init(_ amount: Double) throws(InvalidValue) {
    guard amount.isFinite, 0...1 ~= amount else {
      throw InvalidValue("swing", "\(amount)", allowed: "0…1 (0 straight, 0.667 triplet, 1 dotted)")
    }
    thousandths = Int((amount * 1_000).rounded())
  }

  /// 0…1.
  public var amount: Double { Double(thousandths) / 1_000 }

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
