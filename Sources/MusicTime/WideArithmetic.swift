/// Quotient and remainder of `a·b / c`, rounded down, computed with a 256-bit product.
/// - Precondition: `a`, `b` ≥ 0, `c > 0`, and the quotient fits.
/// - Thread: any, audio.
@_noLocks
func divide(_ a: Int128, times b: Int128, by c: Int128) -> (quotient: Int128, remainder: Int128) {
  let product = a.magnitude.multipliedFullWidth(by: b.magnitude)
  let (quotient, remainder) = c.magnitude.dividingFullWidth(product)
  return (Int128(quotient), Int128(remainder))
}

/// Quotient rounded towards negative infinity, with a remainder that is never negative.
/// - Precondition: `b > 0`.
/// - Thread: any, audio.
@_noLocks
func floorDivide(_ a: Int128, _ b: Int128) -> (quotient: Int128, remainder: Int128) {
  let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
  return remainder < 0 ? (quotient - 1, remainder + b) : (quotient, remainder)
}
