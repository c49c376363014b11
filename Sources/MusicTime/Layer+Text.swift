import Validation

/// A layer as one line of text: `5 over bar, pattern X.x.x, reset bar, note 60, name five, sound clave`.
extension Layer: CustomStringConvertible {
  /// The keys after the rate, in their order. The sound comes last: a folder's name may have a comma.
  private enum Key: String, CaseIterable {
    case pattern, reset, note, name, sound
  }

  private static let allowed =
    "such as 5 over bar, 3 over 2 bars, 3 over 4 beats, 7 over 1/2 or every 1/8; then pattern X.o, reset bar, note 60, name five, sound clave after commas"

  /// - Throws: `InvalidValue` for the first part that is not valid.
  package init(text: String) throws(InvalidValue) {
    var rest = text[...]
    self.init(try Layer.rate(Layer.part(&rest)))
    while !rest.isEmpty {
      let whole = rest
      let words = Layer.words(Layer.part(&rest))
      guard let key = words.first.flatMap({ Key(rawValue: String($0)) }), words.count > 1 else {
        throw InvalidValue("layer", quoted(text), allowed: Layer.allowed)
      }
      if key == .sound {
        sound = String(Layer.trimmed(Layer.trimmed(whole).dropFirst(key.rawValue.count)))
        return
      }
      try set(key, String(words[1...].joined(separator: " ")))
    }
  }

  private mutating func set(_ key: Key, _ value: String) throws(InvalidValue) {
    switch key {
    case .pattern: pattern = try Layer.pattern(value)
    case .reset: reset = try Layer.reset(value)
    case .note: note = try Layer.note(value)
    case .name: name = try Layer.name(value)
    case .sound: sound = value
    }
  }

  /// - Throws: `InvalidValue` if the text is neither pulses over a span nor `every` and a note.
  static func rate(_ text: Substring) throws(InvalidValue) -> Rate {
    let words = words(text)
    if words.count == 2, words[0] == "every" { return .every(try every(String(words[1]))) }
    guard words.count >= 3, words[1] == "over", let pulses = plainInteger(words[0].utf8) else {
      throw InvalidValue("layer", quoted(String(text)), allowed: allowed)
    }
    return .pulses(
      try checked(pulses: pulses), over: try span(words[2...].joined(separator: " ")))
  }

  // MARK: Values by themselves

  /// - Throws: `InvalidValue` if it is out of range.
  package static func checked(pulses: Int) throws(InvalidValue) -> Int {
    guard Layer.pulses ~= pulses else {
      throw InvalidValue("pulses", "\(pulses)", allowed: Layer.pulses.shown)
    }
    return pulses
  }

  /// Reads `beat`, `4 beats`, `bar`, `2 bars` or a note such as `1/2`.
  /// - Throws: `InvalidValue` for another text.
  package static func span(_ text: String) throws(InvalidValue) -> Span {
    let words = words(text[...])
    let count = words.count == 1 ? 1 : words.first.flatMap { plainInteger($0.utf8) } ?? 0
    if words.count == 1, let note = try? BeatUnit(text: text) { return .note(note) }
    if 1...2 ~= words.count, spans ~= count {
      if ["beat", "beats"].contains(words.last) { return .beats(count) }
      if ["bar", "bars"].contains(words.last) { return .bars(count) }
    }
    throw InvalidValue(
      "over", quoted(text),
      allowed: "beat, bar, 2…\(spans.upperBound) beats or bars as in 2 bars, or a note as in 1/2")
  }

  /// Reads a note such as `1/8`.
  /// - Throws: `InvalidValue` for another text.
  package static func every(_ text: String) throws(InvalidValue) -> BeatUnit {
    do { return try BeatUnit(text: text) } catch {
      throw InvalidValue("every", error.value, allowed: error.allowed)
    }
  }

  /// - Throws: `InvalidValue` for unknown letters.
  package static func pattern(_ text: String) throws(InvalidValue) -> AccentPattern {
    do { return try AccentPattern(text: text) } catch {
      throw InvalidValue(
        "pattern", error.value, allowed: "of X (accent), x (pulse), o (soft) and . (rest), as in X.xo")
    }
  }

  /// - Throws: `InvalidValue` for another text.
  package static func reset(_ text: String) throws(InvalidValue) -> Reset {
    guard let reset = Reset(rawValue: text) else {
      let names = Reset.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidValue("reset", quoted(text), allowed: "one of \(names)")
    }
    return reset
  }

  /// - Throws: `InvalidValue` unless it is a number within `notes`.
  package static func note(_ text: String) throws(InvalidValue) -> Int {
    guard let note = plainInteger(text.utf8), notes ~= note else {
      throw InvalidValue("note", quoted(text), allowed: notes.shown)
    }
    return note
  }

  /// - Throws: `InvalidValue` if the name is too long, or could not be written in one line.
  package static func name(_ text: String) throws(InvalidValue) -> String {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0 != "," && !(0x7F...0x9F ~= $0.value)
    }
    guard 1...32 ~= text.utf8.count, isPlain, text.first != " ", text.last != " ", !text.contains("  ") else {
      throw InvalidValue("name", quoted(text), allowed: "1…32 bytes without a comma")
    }
    return text
  }

  // MARK: Text

  package var description: String {
    var parts = [rate.description]
    if let pattern { parts.append("pattern \(pattern)") }
    if reset != .section { parts.append("reset \(reset.rawValue)") }
    if let note { parts.append("note \(note)") }
    if !name.isEmpty { parts.append("name \(name)") }
    if let sound { parts.append("sound \(sound)") }
    return parts.joined(separator: ", ")
  }

  /// Takes the text up to a comma.
  private static func part(_ rest: inout Substring) -> Substring {
    let end = rest.firstIndex(of: ",")
    defer { rest = end.map { rest[rest.index(after: $0)...] } ?? "" }
    return rest[..<(end ?? rest.endIndex)]
  }

  private static func words(_ text: Substring) -> [Substring] { text.split(separator: " ") }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension Layer.Rate: CustomStringConvertible {
  package var description: String {
    switch self {
    case .every(let note): "every \(note)"
    case .pulses(let pulses, let span): "\(pulses) over \(span)"
    }
  }
}

extension Layer.Span: CustomStringConvertible {
  package var description: String {
    switch self {
    case .beats(let count): count == 1 ? "beat" : "\(count) beats"
    case .bars(let count): count == 1 ? "bar" : "\(count) bars"
    case .note(let note): "\(note)"
    }
  }
}
