import Control
import MusicTime
import Validation

// Readers of single values of a document. Each throws `InvalidValue` that says what is allowed.

/// A text in one line, without control characters.
/// - Parameter limit: the maximum length in bytes.
func readText(
  _ node: Node, _ name: String, limit: Int = SessionLimits.text
) throws(InvalidValue) -> String {
  guard case .scalar(let scalar) = node, 1...limit ~= scalar.string.utf8.count,
    !scalar.string.unicodeScalars.contains(where: \.isControl)
  else { throw InvalidValue(name, node.shown, allowed: "a text of 1…\(limit) bytes in one line") }
  return scalar.string
}

extension Unicode.Scalar {
  /// Whether its general category is Cc. A look-up would be ten times as slow. Unicode guarantees that this category never
  /// changes.
  fileprivate var isControl: Bool { value < 0x20 || 0x7F...0x9F ~= value }
}

/// An unquoted word or number, which the types of MusicTime parse.
func readPlain(
  _ node: Node, _ name: String, allowed: @autoclosure () -> String
) throws(InvalidValue) -> String {
  guard case .scalar(let scalar) = node, !scalar.string.isEmpty else {
    throw InvalidValue(name, node.shown, allowed: allowed())
  }
  return scalar.string
}

/// A decimal number without quotes.
func readNumber(
  _ node: Node, _ name: String, allowed: @autoclosure () -> String
) throws(InvalidValue) -> Double {
  guard case .scalar(let scalar) = node, scalar.isPlain else {
    throw InvalidValue(name, node.shown, allowed: allowed())
  }
  if let number = decimal(scalar.string) { return number }
  if let pointed = withDecimalPoint(scalar.string) {
    throw InvalidValue(name, node.shown, allowed: "written with a point, as \(pointed)")
  }
  throw InvalidValue(name, node.shown, allowed: allowed())
}

func readInteger(
  _ node: Node, _ name: String, _ range: ClosedRange<Int>, _ unit: String = ""
) throws(InvalidValue) -> Int {
  guard case .scalar(let scalar) = node, scalar.isPlain, let number = Int(scalar.string),
    range ~= number
  else {
    let suffix = unit.isEmpty ? "" : " " + unit
    throw InvalidValue(
      name, node.shown, allowed: "a whole number, \(range.shown)\(suffix)")
  }
  return number
}

func readFlag(_ node: Node, _ name: String) throws(InvalidValue) -> Bool {
  if case .scalar(let scalar) = node, scalar.isPlain {
    if ["true", "yes", "on"].contains(scalar.string) { return true }
    if ["false", "no", "off"].contains(scalar.string) { return false }
  }
  throw InvalidValue(name, node.shown, allowed: "true or false")
}

/// One of an enumeration's raw values.
func readWord<T: RawRepresentable<String> & CaseIterable>(
  _ node: Node, _ name: String, _ type: T.Type = T.self
) throws(InvalidValue) -> T {
  if case .scalar(let scalar) = node, let value = T(rawValue: scalar.string) { return value }
  let words = T.allCases.map(\.rawValue).joined(separator: ", ")
  throw InvalidValue(name, node.shown, allowed: "one of \(words)")
}

/// - Parameter allowed: what the error says is allowed, if the value is not a number.
func readTempo(
  _ node: Node, _ name: String, allowed: @autoclosure () -> String = Tempo.allowed
) throws(InvalidValue) -> Tempo {
  if case .scalar(let scalar) = node, let written = writtenTempo(scalar.string) {
    throw InvalidValue(name, node.shown, allowed: written)
  }
  let number = try readNumber(node, name, allowed: allowed())
  guard let tempo = try? Tempo(number) else {
    throw InvalidValue(name, node.shown, allowed: Tempo.allowed)
  }
  return tempo
}

/// A step between two tempos, which give the direction.
/// - Parameter isSigned: whether it may have a sign, which is ignored.
/// - Returns: thousandths of a beat a minute.
func readTempoStep(_ node: Node, _ name: String, isSigned: Bool) throws(InvalidValue) -> Int {
  let allowed = Tempo.allowedSteps + (isSigned ? "" : " (from and to give the direction)")
  let number = try readNumber(node, name, allowed: allowed)
  let step = isSigned ? abs(number) : number
  guard let thousandths = Int(exactly: (step * 1_000).rounded()), Tempo.steps ~= thousandths else {
    throw InvalidValue(name, node.shown, allowed: allowed)
  }
  return thousandths
}

/// The right form of common mistakes for a tempo, such as `100 bpm` and `80-120`; nil for other texts.
private func writtenTempo(_ text: String) -> String? {
  guard let last = text.utf8.last, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= last) || text.contains("-")
  else {
    return nil
  }
  let lower = text.lowercased()
  if lower.hasSuffix("bpm"), let number = decimal(lower.dropLast(3).filter { $0 != " " }) {
    return "the number alone, as \(shortest(number))"
  }
  let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
    .map { decimal($0.filter { $0 != " " }) }
  guard bounds.count == 2, let from = bounds[0], let to = bounds[1] else { return nil }
  let ramp = "{from: \(shortest(from)), to: \(shortest(to))}"
  return "\(ramp) for one that changes"
}

/// Without `.0`.
private func shortest(_ number: Double) -> String {
  let text = "\(number)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

func readVolume(_ node: Node, _ name: String) throws(InvalidValue) -> Volume {
  let number = try readNumber(node, name, allowed: Volume.allowed)
  guard let volume = try? Volume(number) else {
    throw InvalidValue(name, node.shown, allowed: Volume.allowed)
  }
  return volume
}

/// A duration: seconds (`20`, `2.5`), with a unit (`20 s`, `3 min`, `1 h`, `250 ms`), or as a clock (`1:30`, `1:02:03`).
/// - Returns: milliseconds, rounded to the nearest.
func readMilliseconds(
  _ node: Node, _ name: String, _ range: ClosedRange<Int> = 1...SessionLimits.milliseconds
) throws(InvalidValue) -> Int {
  let low = range.lowerBound == 0 ? "0" : "0.001 s"
  let allowed = "a time of \(low)…\(range.upperBound / 1_000) s, as 90, 20 s, 1.5 min, 1:30 or 1:02:03"
  guard case .scalar(let scalar) = node, let seconds = clockSeconds(scalar.string),
    let milliseconds = Int(exactly: (seconds * 1_000).rounded()), range ~= milliseconds
  else { throw InvalidValue(name, node.shown, allowed: allowed) }
  return milliseconds
}

private func clockSeconds(_ text: String) -> Double? {
  let parts = text.split(separator: ":", omittingEmptySubsequences: false)
  if 2...3 ~= parts.count {
    guard let last = decimal(String(parts.last!)), 0..<60 ~= last,
      !parts.contains(where: { $0.hasPrefix("-") })
    else { return nil }
    var minutes = 0
    for (index, part) in parts.dropLast().enumerated() {
      guard let number = Int(part), number < 1_000_000, index == 0 || number < 60 else { return nil }
      minutes = minutes * 60 + number
    }
    return Double(minutes) * 60 + last
  }
  let units = [("ms", 0.001), ("min", 60), ("s", 1), ("h", 3_600)]
  for (unit, factor) in units where text.hasSuffix(unit) {
    let number = text.dropLast(unit.count)
    return decimal(number.hasSuffix(" ") ? String(number.dropLast()) : String(number)).map { $0 * factor }
  }
  return decimal(text)
}

/// A finite number in decimal digits, at most 32 characters. (`Double` would also accept `nan` and hexadecimal digits.)
func decimal(_ text: some StringProtocol) -> Double? {
  if let number = shortDecimal(text.utf8) { return number }
  let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
  guard text.utf8.count - digits.count <= 1, !digits.isEmpty, text.utf8.count <= 32,
    digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }),
    let number = Double(String(text)), number.isFinite
  else { return nil }
  return number
}

/// A number without a sign, of at most 15 digits. Its digits and the power of ten are exact, so their quotient is the nearest
/// `Double`. This takes a tenth of the time of the general conversion.
/// - Returns: nil for all other texts.
private func shortDecimal(_ text: some Collection<UInt8>) -> Double? {
  var (digits, count, scale) = (0, 0, 1)
  var hasPoint = false
  for byte in text {
    if byte == UInt8(ascii: "."), !hasPoint {
      hasPoint = true
      continue
    }
    guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte, count < 15 else { return nil }
    digits = digits * 10 + Int(byte - UInt8(ascii: "0"))
    count += 1
    if hasPoint { scale *= 10 }
  }
  return count > 0 ? Double(digits) / Double(scale) : nil
}
