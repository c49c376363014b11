/// A number of thousandths as the shortest decimal: 133700 → `133.7`.
func decimalText(thousandths: Int) -> String {
  let magnitude = thousandths.magnitude
  var fraction = String(magnitude % 1_000 + 1_000).dropFirst()
  while fraction.last == "0" { fraction = fraction.dropLast() }
  let whole = (thousandths < 0 ? "-" : "") + String(magnitude / 1_000)
  return fraction.isEmpty ? whole : whole + "." + fraction
}

/// A range of thousandths as text for messages: `1…999.999`.
func decimalText(thousandths range: ClosedRange<Int>) -> String {
  "\(decimalText(thousandths: range.lowerBound))…\(decimalText(thousandths: range.upperBound))"
}

/// Converts a range of thousandths to a range of ones.
func ones(thousandths range: ClosedRange<Int>) -> ClosedRange<Double> {
  Double(range.lowerBound) / 1_000...Double(range.upperBound) / 1_000
}

/// Reads two decimal integers with a separator between, such as `a/b`; nil if the text has another form.
func integerPair(_ text: some StringProtocol, separator: Unicode.Scalar) -> (Int, Int)? {
  let bytes = text.utf8
  guard let middle = bytes.firstIndex(of: UInt8(ascii: separator)),
    let first = plainInteger(bytes[..<middle]),
    let second = plainInteger(bytes[bytes.index(after: middle)...])
  else { return nil }
  return (first, second)
}

/// Reads decimal digits and nothing else.
/// - Parameter text: UTF-8. A document has hundreds of thousands of such texts, and characters take ten times as long as bytes.
/// - Returns: nil if the text is empty, or the number too large.
func plainInteger(_ text: some Sequence<UInt8>) -> Int? {
  var number: Int?
  for byte in text {
    guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
    let (tens, isTooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
    let (sum, overflows) = tens.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
    if isTooLarge || overflows { return nil }
    number = sum
  }
  return number
}
