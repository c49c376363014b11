import FoundationEssentials
import Validation

/// A value as one line of JSON, with all non-printable characters escaped, because a terminal may show it. nil if it can't be
/// encoded.
func jsonLine(_ value: some Encodable) -> String? {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  guard let data = try? encoder.encode(value) else { return nil }
  // Most lines are plain ASCII.
  if data.allSatisfy({ 0x20...0x7E ~= $0 }) { return String(decoding: data, as: UTF8.self) }
  return String(decoding: data, as: UTF8.self).unicodeScalars.reduce(into: "") { line, scalar in
    guard !scalar.isPrintable else { return line.unicodeScalars.append(scalar) }
    // Such characters occur only inside JSON strings, so escapes are valid.
    for unit in String(scalar).utf16 {
      let digits = String(unit, radix: 16)
      line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}
