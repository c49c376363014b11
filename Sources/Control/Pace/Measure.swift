import MusicTime
import Validation

/// Parses speeds and heights as runners write them.
package enum Measure {
  /// The fastest accepted speed, in metres per second.
  package static let fastest = 12.0

  private static let speedForms =
    "0…12 m/s with its unit, as 3.3m/s, 12km/h, 7.5mph, 5:00min/km or 8:03min/mile"
  private static let mile = 1_609.344

  /// Parses a speed in metres per second from `3.3m/s`, `12km/h`, `7.5mph`, `5:00min/km`, `8:03min/mile`. A number needs a
  /// unit: 12 without one, meant as km/h, would be a sprint in m/s.
  /// - Throws: `InvalidValue`.
  package static func speed(_ text: String) throws(InvalidValue) -> Double {
    let invalid = InvalidValue("speed", quoted(text), allowed: speedForms)
    let (number, unit) = split(text)
    let speed: Double?
    switch unit {
    case "m/s": speed = positive(number)
    case "km/h": speed = positive(number).map { $0 / 3.6 }
    case "mph": speed = positive(number).map { $0 * mile / 3_600 }
    case "min/km", "/km": speed = minutes(number).map { 1_000 / (60 * $0) }
    case "min/mile", "/mile": speed = minutes(number).map { mile / (60 * $0) }
    default: throw invalid
    }
    guard let speed, speed <= fastest else { throw invalid }
    return speed
  }

  /// Parses a height in metres from `1.80` (m), `1.80m`, `180cm`, `5ft11in`, `5'11"`.
  /// - Throws: `InvalidValue`.
  package static func height(_ text: String) throws(InvalidValue) -> Double {
    let bounds = CadenceConstant.height.bounds
    let form = "\(CadenceConstant.height.allowed), as 1.80, 1.80m, 180cm, 5ft11in or 5'11\""
    let invalid = InvalidValue("height", quoted(text), allowed: form)
    let (number, unit) = split(text)
    let height: Double?
    switch unit {
    case "", "m": height = positive(number)
    case "cm": height = positive(number).map { $0 / 100 }
    default: height = feet(text)
    }
    guard let height, bounds.contains(height) else { throw invalid }
    return height
  }

  private static func split(_ text: String) -> (number: Substring, unit: String) {
    let number = text.prefix { "0123456789.:".contains($0) }
    return (number, text[number.endIndex...].drop { $0 == " " }.lowercased())
  }

  private static func positive(_ text: some StringProtocol) -> Double? {
    // Only digits and a point: `Double` would accept `inf` and `0x1p3` too.
    guard text.allSatisfy({ "0"..."9" ~= $0 || $0 == "." }) else { return nil }
    return Double(text)
  }

  /// `5:30` or `5.5`.
  private static func minutes(_ text: Substring) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard 1...2 ~= parts.count, let minutes = positive(parts[0]) else { return nil }
    guard parts.count == 2 else { return minutes > 0 ? minutes : nil }
    guard let seconds = positive(parts[1]), seconds < 60, minutes + seconds > 0 else { return nil }
    return minutes + seconds / 60
  }

  private static func feet(_ text: String) -> Double? {
    let plain = text.lowercased().replacing("ft", with: "'").replacing("in", with: "\"").filter { $0 != " " }
    let parts = plain.split(separator: "'", omittingEmptySubsequences: false)
    guard parts.count == 2, let feet = positive(parts[0]) else { return nil }
    let rest = parts[1].hasSuffix("\"") ? parts[1].dropLast() : parts[1]
    guard let inches = rest.isEmpty ? 0 : positive(rest), inches < 12 else { return nil }
    return (12 * feet + inches) * 0.0254
  }
}
