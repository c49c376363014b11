/// An exact fraction in lowest terms, with a positive denominator.
///
/// Musical values are small (see `Meter`, `BeatUnit`, `Swing`), so that sums and products of a few of them
/// fit; an overflow traps rather than rounds.
public struct Rational: Hashable, Comparable, Sendable {
  public let numerator: Int
  public let denominator: Int

  /// - Precondition: `denominator` is not zero.
  public init(_ numerator: Int, _ denominator: Int = 1) {
    precondition(denominator != 0, "a fraction's denominator is not zero")
    let divisor = greatestCommonDivisor(numerator, denominator) * (denominator < 0 ? -1 : 1)
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  public static let zero = Rational(0)

  public static func + (a: Rational, b: Rational) -> Rational {
    Rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
  }

  public static func - (a: Rational, b: Rational) -> Rational {
    Rational(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator)
  }

  public static func * (a: Rational, b: Rational) -> Rational {
    Rational(a.numerator * b.numerator, a.denominator * b.denominator)
  }

  public static func / (a: Rational, b: Rational) -> Rational {
    Rational(a.numerator * b.denominator, a.denominator * b.numerator)
  }

  public static func < (a: Rational, b: Rational) -> Bool {
    a.numerator * b.denominator < b.numerator * a.denominator
  }

  /// The smallest integer that is not below the fraction.
  public var roundedUp: Int {
    let quotient = numerator / denominator
    return quotient * denominator < numerator ? quotient + 1 : quotient
  }

  /// The nearest `Double`.
  public var approximation: Double { Double(numerator) / Double(denominator) }
}

/// The greatest common divisor of two integers that are not both zero; never negative.
public func greatestCommonDivisor<T: SignedInteger>(_ a: T, _ b: T) -> T {
  var (a, b) = (a < 0 ? -a : a, b < 0 ? -b : b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}

/// The least common multiple of two positive integers.
func leastCommonMultiple(_ a: Int, _ b: Int) -> Int {
  a / greatestCommonDivisor(a, b) * b
}
