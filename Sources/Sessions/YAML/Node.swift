import Validation

/// A position in a text.
struct Mark: Hashable, Sendable {
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

/// Rejects most keys that a mapping does not have, without a search. A section is asked for dozens of keys, and has a few.
struct KeyFilter: Sendable {
  /// A bit for each key that was added. Keys may share a bit.
  private var bits: UInt64 = 0

  /// - Returns: whether the key may have been added before; if not, it was not.
  mutating func add(_ key: String) -> Bool {
    // A key with other characters may equal one with different bytes (Unicode normalisation), so it sets all bits.
    let bit = key.utf8.allSatisfy { $0 < 0x80 } ? KeyFilter.bit(key) : .max
    defer { bits |= bit }
    return bits & bit != 0
  }

  /// Whether an ASCII key may have been added; if false, it was not.
  func mayHold(_ key: StaticString) -> Bool {
    let count = key.utf8CodeUnitCount
    return bits & KeyFilter.bit(count, first: key.utf8Start[0], last: key.utf8Start[count - 1]) != 0
  }

  private static func bit(_ key: String) -> UInt64 {
    guard let first = key.utf8.first, let last = key.utf8.last else { return 1 }
    return bit(key.utf8.count, first: first, last: last)
  }

  /// Chosen so that each key of sections and groups has its own bit.
  private static func bit(_ count: Int, first: UInt8, last: UInt8) -> UInt64 {
    1 << UInt64((count &+ Int(first) &+ 25 &* Int(last)) & 63)
  }
}

/// A value of a document.
enum Node: Sendable {
  case scalar(Scalar)
  case sequence(List)
  case mapping(Mapping)

  struct Scalar: Sendable {
    let string: String
    /// Whether the scalar has no quotes.
    let isPlain: Bool
    let mark: Mark

    /// Whether the scalar is an ASCII key. The lengths are compared first, because most keys differ in length.
    func isNamed(_ key: String) -> Bool { string.utf8.count == key.utf8.count && string == key }

    /// The same for a key that is a literal.
    func isNamed(_ key: StaticString) -> Bool {
      guard string.utf8.count == key.utf8CodeUnitCount else { return false }
      var next = key.utf8Start
      return string.utf8.allSatisfy { byte in
        defer { next += 1 }
        return byte == next.pointee
      }
    }
  }

  struct List: Sendable {
    let items: [Node]
    let mark: Mark
  }

  struct Mapping: Sendable {
    let keys: [Scalar]
    /// One for each key.
    let values: [Node]
    let filter: KeyFilter
    let mark: Mark

    /// The value of a key that is known only at run time; nil if the mapping does not have it.
    func value(named key: String) -> Node? {
      keys.firstIndex { $0.isNamed(key) }.map { values[$0] }
    }

    /// The index of a key in `keys`; nil if the mapping does not have it.
    func index(of key: StaticString) -> Int? {
      filter.mayHold(key) ? keys.firstIndex { $0.isNamed(key) } : nil
    }
  }

  /// The start of the value.
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
