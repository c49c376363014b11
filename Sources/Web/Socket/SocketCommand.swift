/// A command of OSCQuery, which comes as text: `{"COMMAND": "LISTEN", "DATA": "/tactus/tempo"}`.
enum SocketCommand: Equatable {
  case listen(String)
  case ignore(String)

  /// nil for anything else, which is not answered: commands of later versions are not known.
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

/// Reads an object of JSON that holds nothing but texts.
private struct FlatObjectReader {
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) { rest = text[...].unicodeScalars }

  /// nil if it is anything else.
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
        // An address needs no other escape.
        guard let escaped = rest.popFirst(), "\"\\/".unicodeScalars.contains(escaped) else { return nil }
        text.unicodeScalars.append(escaped)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return nil
  }
}
