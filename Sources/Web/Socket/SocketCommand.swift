/// A command of OSCQuery, which is a text frame: `{"COMMAND": "LISTEN", "DATA": "/tactus/tempo"}`.
enum SocketCommand: Equatable {
  case listen(String)
  case ignore(String)

  /// nil for anything else, such as the commands of later versions. They are not answered.
  init?(_ text: String) {
    var reader = FlatObjectReader(text)
    guard let members = reader.members(), let data = members["DATA"] else { return nil }
    switch members["COMMAND"] {
    case "LISTEN": self = .listen(data)
    case "IGNORE": self = .ignore(data)
    default: return nil
    }
  }
}

/// Parses a JSON object whose values are all strings.
private struct FlatObjectReader {
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) { rest = text[...].unicodeScalars }

  /// The members; nil if the text is anything else.
  mutating func members() -> [String: String]? {
    guard take("{") else { return nil }
    var members: [String: String] = [:]
    if take("}") { return isAtEnd ? members : nil }
    repeat {
      guard let key = string(), take(":"), let value = string() else { return nil }
      members[key] = value
    } while take(",")
    return take("}") && isAtEnd ? members : nil
  }

  private mutating func skipSpace() {
    while let scalar = rest.first, " \t\r\n".unicodeScalars.contains(scalar) { rest.removeFirst() }
  }

  private var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return rest.isEmpty
    }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text = ""
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return text
      case "\\":
        // Addresses need no other escapes.
        guard let escaped = rest.popFirst(), "\"\\/".unicodeScalars.contains(escaped) else { return nil }
        text.unicodeScalars.append(escaped)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return nil
  }
}
