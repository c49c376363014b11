import Validation

/// The keys and values of one mapping in a document.
struct Fields {
  private let mapping: Node.Mapping

  /// Reads a mapping and reports every unknown key; nil if the node is not a mapping, or the log is full.
  /// - Parameters:
  ///   - what: the mapping's name, for messages.
  ///   - known: the allowed keys.
  init?(_ node: Node, of what: String, known: [String], _ log: FaultLog) {
    guard case .mapping(let mapping) = node else {
      let allowed = "keys and values: \(known.joined(separator: ", "))"
      log.report(node.mark, "\(what) \(node.shown)", allowed: allowed)
      return nil
    }
    self.mapping = mapping
    for key in mapping.keys where !known.contains(where: { key.isNamed($0) }) {
      // Computing suggestions is the slowest part of reading.
      guard !log.isFull else { return nil }
      let allowed = Fields.advice(for: key.string, known)
      log.report(key.mark, "unknown key \(quoted(key.string)) of \(what)", allowed: allowed)
    }
  }

  /// The start of the mapping.
  var mark: Mark? { mapping.mark }

  subscript(key: StaticString) -> Node? { mapping.index(of: key).map { mapping.values[$0] } }

  subscript(named key: String) -> Node? { mapping.value(named: key) }

  /// The position of a key; nil if the mapping does not have it.
  func mark(of key: String) -> Mark? { mapping.keys.first { $0.isNamed(key) }?.mark }

  /// The given keys that are present, in the order of the document.
  func keys(among keys: [StaticString]) -> [(key: String, mark: Mark?, value: Node)] {
    guard keys.contains(where: mapping.filter.mayHold) else { return [] }
    var found: [(key: String, mark: Mark?, value: Node)] = []
    for index in mapping.keys.indices {
      let key = mapping.keys[index]
      if keys.contains(where: { key.isNamed($0) }) {
        found.append((key.string, key.mark, mapping.values[index]))
      }
    }
    return found
  }

  /// Names of keys in other programs and languages.
  private static let synonyms = [
    "bpm": "tempo", "time-signature": "meter", "signature": "meter", "measures": "bars", "duration": "time",
    "color": "colour", "minutes": "time", "seconds": "time", "step": "by", "steps": "every",
  ]

  /// What the message suggests in place of an unknown key.
  private static func advice(for key: String, _ known: [String]) -> String {
    if let fraction = fractionAdvice(for: key) { return fraction }
    if !known.contains("sections"), ["countin", "count-in"].contains(key.lowercased()) {
      return "count-in at the top of the document: it comes before the first section"
    }
    if let colon = key.firstIndex(of: ":"), known.contains(String(key[..<colon])) {
      return "with a space after the colon, as \(key[..<colon]): \(key[key.index(after: colon)...])"
    }
    let name = synonyms[key.lowercased()] ?? key
    if known.contains("sections"), DocumentKeys.style.contains(name) {
      return "\(name) in a section, or below defaults"
    }
    return suggestion(for: name, known)
  }

  /// The advice for a key that is the fraction of a number: in {bars: 4, tempo: 92,5} the comma ends the value. nil for other
  /// keys.
  static func fractionAdvice(for key: String) -> String? {
    guard !key.isEmpty, key.utf8.count <= 6, key.allSatisfy({ "0"..."9" ~= $0 }) else { return nil }
    return "after a point, not a comma, if it is the fraction of a number, as in 92.5"
  }

  /// The suggestion for an unknown name.
  static func suggestion(for name: String, _ known: [String]) -> String {
    let all = known.joined(separator: ", ")
    return Spelling.nearest(to: name, among: known).map { "\($0), perhaps; known are \(all)" }
      ?? "one of \(all)"
  }
}
