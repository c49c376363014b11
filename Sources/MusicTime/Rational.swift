/// An exact fraction in lowest terms, with a positive denominator.
///
/// The operators trap on overflow. Use them only for values whose types bound them: notes and bars (`Meter`, `BeatUnit`:
/// numerators and denominators below 1000), swing (`Swing`: 4000ths), tempos (`Tempo`: below 1 000 000) and lengths in bars
/// or beats (at most 1 000 000). A sum or product of a few of these fits. For other numbers use `multiplied(by:)`.
package struct Rational: Hashable, Comparable, Sendable {
  /// In lowest terms; negative if the fraction is.
  package let numerator: Int
  /// In lowest terms, at least 1.
  package let denominator: Int

  /// - Precondition: `denominator` is not zero.
  package init(_ numerator: Int, _ denominator: Int = 1) {
    precondition(denominator != 0, "a fraction's denominator is not zero")
    let divisor = greatestCommonDivisor(numerator, denominator) * (denominator < 0 ? -1 : 1)
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  package static let zero = Rational(0)

  package static func + (a: Rational, b: Rational) -> Rational {
    Rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
  }

  package static func - (a: Rational, b: Rational) -> Rational {
    Rational(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator)
  }

  package static func * (a: Rational, b: Rational) -> Rational {
    Rational(a.numerator * b.numerator, a.denominator * b.denominator)
  }

  /// The product, or nil if it doesn't fit.
  package func multiplied(by other: Rational) -> Rational? {
    let (numerator, isTooLarge) = numerator.multipliedReportingOverflow(by: other.numerator)
    let (denominator, isTooFine) = denominator.multipliedReportingOverflow(by: other.denominator)
    return isTooLarge || isTooFine ? nil : Rational(numerator, denominator)
  }

  package static func / (a: Rational, b: Rational) -> Rational {
    Rational(a.numerator * b.denominator, a.denominator * b.numerator)
  }

  package static func < (a: Rational, b: Rational) -> Bool {
    a.numerator * b.denominator < b.numerator * a.denominator
  }

  /// The smallest integer that is not less than the fraction.
  package var roundedUp: Int {
    let quotient = numerator / denominator
    return quotient * denominator < numerator ? quotient + 1 : quotient
  }

  /// The nearest `Double`.
  package var approximation: Double { Double(numerator) / Double(denominator) }
}

/// The greatest common divisor of two integers that are not both zero; never negative.
package func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
  Int(greatestCommonDivisor(a.magnitude, b.magnitude))
}

/// The greatest common divisor of two integers that are not both zero; never negative.
package func greatestCommonDivisor(_ a: Int128, _ b: Int128) -> Int128 {
  var (a, b) = (a.magnitude, b.magnitude)
  // Dividing 128 bits takes ten times as long as dividing 64.
  while b != 0 {
    if let a = UInt64(exactly: a), let b = UInt64(exactly: b) {
      return Int128(greatestCommonDivisor(UInt(a), UInt(b)))
    }
    (a, b) = (b, a % b)
  }
  return Int128(a)
}

private func greatestCommonDivisor(_ a: UInt, _ b: UInt) -> UInt {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}

/// The least common multiple of two positive integers.
package func leastCommonMultiple(_ a: Int, _ b: Int) -> Int {
  a / greatestCommonDivisor(a, b) * b
}

extension Double {
  /// The nearest multiple of a step, never −0. The result survives formatting as a decimal and parsing.
  ///
  /// Each value type rounds in its initialiser, so that the saved value equals the accepted one.
  /// - Parameter parts: the number of steps in 1; 1000 if the step is a thousandth.
  package func rounded(parts: Double) -> Double { (self * parts).rounded() / parts + 0 }
}
