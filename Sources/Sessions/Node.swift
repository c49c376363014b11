import Validation

/// A place in a text.
struct Mark: Hashable {
  // 32 bits each save memory: there is a mark for each value of a document.
  private let shortLine: Int32
  private let shortColumn: Int32

  /// From 1.
  var line: Int { Int(shortLine) }
  /// In Unicode characters, from 1.
  var column: Int { Int(shortColumn) }

  init(line: Int, column: Int) {
    shortLine = Int32(clamping: line)
    shortColumn = Int32(clamping: column)
  }
}

/// A value of a document.
enum Node {
  case scalar(Scalar)
  case sequence(List)
  case mapping(Mapping)

  struct Scalar {
    let string: String
    /// Whether the scalar has no quotes.
    let isPlain: Bool
    let mark: Mark

    /// Whether the scalar is a key, which is ASCII. Most keys differ in length, which takes no call to find.
    func isNamed(_ key: String) -> Bool { string.utf8.count == key.utf8.count && string == key }
  }

  struct List {
    let items: [Node]
    let mark: Mark
  }

  struct Mapping {
    let keys: [Scalar]
    /// One for each key.
    let values: [Node]
    let mark: Mark
  }

  /// Where the value begins.
  var mark: Mark {
    switch self {
    case .scalar(let scalar): scalar.mark
    case .sequence(let list): list.mark
    case .mapping(let mapping): mapping.mark
    }
  }

  /// The value as a message shows it.
  var shown: String {
    switch self {
    case .scalar(let scalar): scalar.string.isEmpty ? "(nothing)" : quoted(scalar.string)
    case .sequence: "(a list)"
    case .mapping: "(keys and values)"
    }
  }
}
