import MusicTime

/// A place in a text.
struct Mark: Hashable {
  /// From 1.
  let line: Int
  /// In characters of Unicode, from 1.
  let column: Int
}

/// A value of a document, as the text has it.
///
/// Yams has a tree of its own. It is turned into this one, as its nodes are slow to copy and compare.
enum Node {
  case scalar(Scalar)
  case sequence(List)
  case mapping(Mapping)

  struct Scalar {
    let string: String
    /// Whether it stands without quotes.
    let isPlain: Bool
    let mark: Mark?
  }

  struct List {
    let items: [Node]
    let mark: Mark?
  }

  struct Mapping {
    let keys: [Scalar]
    /// One for each key.
    let values: [Node]
    let mark: Mark?
  }

  /// Where it begins.
  var mark: Mark? {
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
