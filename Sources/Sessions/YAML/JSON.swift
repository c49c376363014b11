import FoundationEssentials

/// A JSON value.
enum JSON: Encodable {
  case text(String)
  case integer(Int)
  case number(Double)
  case flag(Bool)
  case list([JSON])
  case keys([String: JSON])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    case .list(let items): try container.encode(items)
    case .keys(let keys): try container.encode(keys)
    }
  }

  /// The value on many lines, with sorted keys.
  /// - Throws: an error of `JSONEncoder`.
  func lines() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .text(text) }
  init(booleanLiteral flag: Bool) { self = .flag(flag) }
  init(arrayLiteral items: JSON...) { self = .list(items) }
  init(dictionaryLiteral pairs: (String, JSON)...) { self = .keys(Dictionary(uniqueKeysWithValues: pairs)) }
}
