/// An address pattern of OSC 1.0: `?`, `*`, `[a-z]`, `[!a-z]` and `{one,two}`, each within one segment of the address.
///
/// Matching follows all alternatives in a segment at once. Its cost is therefore at most the product of the lengths of pattern
/// and address, whatever the pattern.
package struct OSCPattern: Hashable, Sendable {
  /// The length of the longest pattern, in bytes.
  package static let lengthLimit = OSCDatagram.addressLimit

  /// The pattern as it was given.
  package let text: String
  /// Whether it contains no wildcard, and so matches only itself.
  package let isLiteral: Bool
  private let segments: [[Token]]

  private enum Token: Hashable {
    case byte(UInt8)
    case any
    case anyRun
    case oneOf([ClosedRange<UInt8>], isNegated: Bool)
    case choice([[UInt8]])
  }

  /// - Throws: `OSCFault` if the text is no pattern or longer than `lengthLimit`. Its address is the pattern, nil if that is
  ///   too long.
  /// - Thread: any.
  package init(_ text: String) throws(OSCFault) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.lengthLimit else {
      throw OSCFault(reason: "pattern of \(bytes.count) bytes: at most \(Self.lengthLimit) are read")
    }
    guard bytes.first == UInt8(ascii: "/") else {
      throw OSCFault(address: text, reason: "a pattern must begin with /")
    }
    var segments: [[Token]] = []
    for segment in bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      do {
        segments.append(try Self.parse(segment))
      } catch {
        throw OSCFault(address: text, reason: error.reason)
      }
    }
    self.text = text
    self.segments = segments
    isLiteral = segments.allSatisfy { $0.allSatisfy { if case .byte = $0 { true } else { false } } }
  }

  /// - Complexity: the length of the pattern times the length of the address.
  /// - Thread: any.
  package func matches(_ address: String) -> Bool {
    if isLiteral { return text == address }
    let bytes = Array(address.utf8)
    guard bytes.first == UInt8(ascii: "/") else { return false }
    let names = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return names.count == segments.count && zip(segments, names).allSatisfy { Self.match($0, Array($1)) }
  }

  /// Advances the set of reachable positions in `name`, one token at a time.
  private static func match(_ tokens: [Token], _ name: [UInt8]) -> Bool {
    var places = [Bool](repeating: false, count: name.count + 1)
    places[0] = true
    for token in tokens {
      var reached = [Bool](repeating: false, count: name.count + 1)
      for place in places.indices where places[place] {
        switch token {
        case .byte(let byte):
          if place < name.count, name[place] == byte { reached[place + 1] = true }
        case .any:
          if place < name.count { reached[place + 1] = true }
        case .anyRun:
          for later in place...name.count { reached[later] = true }
        case .oneOf(let ranges, let isNegated):
          if place < name.count, ranges.contains(where: { $0.contains(name[place]) }) != isNegated {
            reached[place + 1] = true
          }
        case .choice(let words):
          for word in words where name[place...].starts(with: word) { reached[place + word.count] = true }
        }
        if token == .anyRun { break }
      }
      guard reached.contains(true) else { return false }
      places = reached
    }
    return places[name.count]
  }

  private static func parse(_ segment: ArraySlice<UInt8>) throws(OSCFault) -> [Token] {
    var tokens: [Token] = []
    var rest = segment
    while let byte = rest.popFirst() {
      switch UnicodeScalar(byte) {
      case "?": tokens.append(.any)
      case "*": if tokens.last != .anyRun { tokens.append(.anyRun) }
      case "[": tokens.append(try parseSet(&rest))
      case "{": tokens.append(try parseChoice(&rest))
      case "]", "}", ",", "#", " ":
        throw OSCFault(reason: "\(UnicodeScalar(byte)) is not allowed outside of brackets")
      default: tokens.append(.byte(byte))
      }
    }
    return tokens
  }

  /// Reads what follows `[`, up to `]`. A `-` in first or last position is an ordinary character.
  private static func parseSet(_ rest: inout ArraySlice<UInt8>) throws(OSCFault) -> Token {
    guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { throw OSCFault(reason: "[ without ]") }
    var inside = rest[..<end]
    rest = rest[(end + 1)...]
    let isNegated = inside.first == UInt8(ascii: "!")
    if isNegated { inside = inside.dropFirst() }
    guard !inside.isEmpty else { throw OSCFault(reason: "[ and ] must enclose a character") }
    var ranges: [ClosedRange<UInt8>] = []
    while let low = inside.popFirst() {
      var high = low
      if inside.count >= 2, inside.first == UInt8(ascii: "-") {
        inside = inside.dropFirst()
        high = inside.removeFirst()
      }
      guard low <= high else {
        throw OSCFault(reason: "range \(UnicodeScalar(low))-\(UnicodeScalar(high)) runs backwards")
      }
      ranges.append(low...high)
    }
    return .oneOf(ranges, isNegated: isNegated)
  }

  /// Reads what follows `{`, up to `}`: literal words, separated by commas.
  private static func parseChoice(_ rest: inout ArraySlice<UInt8>) throws(OSCFault) -> Token {
    guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { throw OSCFault(reason: "{ without }") }
    let inside = rest[..<end]
    rest = rest[(end + 1)...]
    guard !inside.contains(where: { "{[]?*".utf8.contains($0) }) else {
      throw OSCFault(reason: "wildcards are not allowed between { and }")
    }
    return .choice(
      inside.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Array.init))
  }
}
