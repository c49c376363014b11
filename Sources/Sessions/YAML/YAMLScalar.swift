/// How a YAML 1.1 reader interprets a plain scalar.
enum YAMLScalar {
  private static let words: Set<String> = [
    "yes", "Yes", "YES", "no", "No", "NO", "true", "True", "TRUE", "false", "False", "FALSE", "on", "On",
    "ON",
    "off", "Off", "OFF", "null", "Null", "NULL", "~", "", "<<", "=", ".nan", ".NaN", ".NAN",
  ]
  private static let infinities: Set<Substring> = [".inf", ".Inf", ".INF"]

  /// Whether a YAML 1.1 reader takes the text for a flag, null, a number or a date if it has no quotes.
  static func needsQuotes(_ text: String) -> Bool { words.contains(text) || isNumber(text) || isDate(text) }

  private static let digits = "0123456789"
  private static let digitsAndGaps = "0123456789_"
  private static let prefixes = [("0b", "01_"), ("0o", "01234567_"), ("0x", "0123456789abcdefABCDEF_")]

  private static func isNumber(_ text: String) -> Bool {
    var rest = text[...]
    let isSigned = rest.skip("+-", atMost: 1) > 0
    if infinities.contains(rest) { return true }
    for (prefix, digits) in prefixes where rest.hasPrefix(prefix) {
      rest = rest.dropFirst(2)
      return rest.skip(digits) > 0 && rest.isEmpty
    }
    guard let first = rest.utf8.first, rest.skip(digits, atMost: 1) > 0 else {
      guard !isSigned, rest.skip(".", atMost: 1) > 0, rest.skip(digitsAndGaps) > 0 else { return false }
      return rest.isEmpty || isExponent(rest, needsSign: true)
    }
    rest.skip(digitsAndGaps)
    // Minutes and seconds, base 60.
    let hasColons = rest.hasPrefix(":")
    while rest.skip(":", atMost: 1) > 0 {
      let count = rest.skip("012345", atMost: 1)
      guard rest.skip(digits, atMost: 1) + count > 0 else { return false }
    }
    if hasColons, rest.isEmpty { return first != UInt8(ascii: "0") }
    let hasPoint = rest.skip(".", atMost: 1) > 0
    if hasPoint { rest.skip(digitsAndGaps) }
    return rest.isEmpty || !hasColons && isExponent(rest, needsSign: false)
  }

  private static func isExponent(_ text: Substring, needsSign: Bool) -> Bool {
    var rest = text
    guard rest.skip("eE", atMost: 1) > 0, rest.skip("+-", atMost: 1) > 0 || !needsSign else { return false }
    return rest.skip(digits) > 0 && rest.isEmpty
  }

  /// `2026-11-22`, or `2026-11-22 12:00:00.5 +01:00`.
  private static func isDate(_ text: String) -> Bool {
    var rest = text[...]
    guard rest.skip(digits, atMost: 4) == 4, rest.skip("-", atMost: 1) > 0 else { return false }
    let month = rest.skip(digits, atMost: 2)
    guard month > 0, rest.skip("-", atMost: 1) > 0 else { return false }
    let day = rest.skip(digits, atMost: 2)
    guard day > 0 else { return false }
    if rest.isEmpty { return month == 2 && day == 2 }
    guard rest.skip("Tt", atMost: 1) > 0 || rest.skip(" \t") > 0, rest.skip(digits, atMost: 2) > 0 else {
      return false
    }
    for _ in 0..<2 {
      guard rest.skip(":", atMost: 1) > 0, rest.skip(digits, atMost: 2) == 2 else { return false }
    }
    if rest.skip(".", atMost: 1) > 0 { rest.skip(digits) }
    if rest.isEmpty { return true }
    rest.skip(" \t")
    if rest.skip("Z", atMost: 1) > 0 { return rest.isEmpty }
    guard rest.skip("+-", atMost: 1) > 0, rest.skip(digits, atMost: 2) > 0 else { return false }
    return rest.isEmpty
      || rest.skip(":", atMost: 1) > 0 && rest.skip(digits, atMost: 2) == 2 && rest.isEmpty
  }
}

extension Substring {
  /// Removes characters of a set from the start.
  /// - Returns: how many were removed.
  @discardableResult
  fileprivate mutating func skip(_ characters: String, atMost limit: Int = .max) -> Int {
    var count = 0
    while count < limit, let byte = utf8.first, characters.utf8.contains(byte) {
      unicodeScalars.removeFirst()
      count += 1
    }
    return count
  }
}
