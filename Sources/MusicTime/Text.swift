/// A number of thousandths as the shortest decimal: 133700 → `133.7`.
func decimalText(thousandths: Int) -> String {
  let magnitude = thousandths.magnitude
  var fraction = String(magnitude % 1_000 + 1_000).dropFirst()
  while fraction.last == "0" { fraction = fraction.dropLast() }
  let whole = (thousandths < 0 ? "-" : "") + String(magnitude / 1_000)
  return fraction.isEmpty ? whole : whole + "." + fraction
}

/// Reads `a/b` with plain decimal integers.
func integerPair(_ text: some StringProtocol, separator: Character) -> (Int, Int)? {
  let parts = text.split(separator: separator, omittingEmptySubsequences: false)
  guard parts.count == 2, let first = plainInteger(parts[0]), let second = plainInteger(parts[1])
  else { return nil }
  return (first, second)
}

/// Reads decimal digits and nothing else.
func plainInteger(_ text: some StringProtocol) -> Int? {
  text.allSatisfy { "0"..."9" ~= $0 } ? Int(text) : nil
}
