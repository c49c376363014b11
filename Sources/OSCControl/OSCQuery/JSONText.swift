import OSC

/// A JSON value, which is written as text. The keys of an object keep their order.
indirect enum JSONText {
  case null
  case number(Double)
  case integer(Int)
  case truth(Bool)
  case text(String)
  case array([JSONText])
  case object([(String, JSONText)])

  /// An argument of a message; null for a type that has no JSON form.
  init(_ argument: OSCArgument) {
    switch argument {
    case .int32(let value): self = .integer(Int(value))
    // The shortest decimal that identifies the `Float`.
    case .float(let value): self = Double("\(value)").map { .number($0) } ?? .null
    case .string(let text), .symbol(let text): self = .text(text)
    case .true: self = .truth(true)
    case .false: self = .truth(false)
    default: self = .null
    }
  }

  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .number(let number):
      text += number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    case .integer(let integer): text += "\(integer)"
    case .truth(let truth): text += truth ? "true" : "false"
    case .text(let string): JSONText.write(string, to: &text)
    case .array(let items):
      text += "["
      for (index, item) in items.enumerated() {
        if index > 0 { text += "," }
        item.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, (key, value)) in members.enumerated() {
        if index > 0 { text += "," }
        JSONText.write(key, to: &text)
        text += ":"
        value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
