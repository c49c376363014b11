/// `a·b / c`, rounded down, through a 256-bit product.
/// - Precondition: `c > 0` and the result fits.
/// - Thread: any, audio.
@_noLocks
func multiply(_ a: Int128, by b: Int128, dividedBy c: Int128) -> Int128 {
  let product = a.magnitude.multipliedFullWidth(by: b.magnitude)
  let (quotient, remainder) = c.magnitude.dividingFullWidth(product)
  let isNegative = (a < 0) != (b < 0)
  return isNegative ? -Int128(quotient) - (remainder == 0 ? 0 : 1) : Int128(quotient)
}

/// Quotient rounded towards negative infinity, with a remainder that is never negative.
/// - Precondition: `b > 0`.
/// - Thread: any, audio.
@_noLocks
func floorDivide(_ a: Int128, _ b: Int128) -> (quotient: Int128, remainder: Int128) {
  let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
  return remainder < 0 ? (quotient - 1, remainder + b) : (quotient, remainder)
}
