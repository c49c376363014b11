import MusicTime
import Testing

@Suite("Exact numbers from outside")
struct RationalTests {
  @Test("A product that does not fit is nil, and one that fits is exact")
  func product() {
    #expect(Rational(999_999_999_999_999, 1_000_000_000).multiplied(by: Rational(16_000)) == nil)
    #expect(Rational(1, .max).multiplied(by: Rational(1, 3)) == nil)
    #expect(Rational(3, 8).multiplied(by: Rational(4, 3)) == Rational(1, 2))
  }

  @Test("A number at its step is never smaller than the step, and rounding it again changes nothing")
  func steps() {
    for number in [1e-200, -1e-200, .leastNonzeroMagnitude, 0.0004, -0.0004] {
      let rounded = number.rounded(parts: 1_000)
      #expect(rounded == 0 && rounded.sign == .plus)
    }
    for thousandths in -500_000...500_000 {
      let number = Double(thousandths) / 1_000
      #expect(number.rounded(parts: 1_000) == number)
    }
  }
}
