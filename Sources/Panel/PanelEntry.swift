import Control
import MusicTime
import TimeCheck
import Validation

/// A text that the user types: a tempo, a session's speed, a meter, or after a colon a command or a parameter and its value.
struct PanelEntry: Equatable, Sendable {
  private(set) var text: String
  /// The number of characters before the cursor.
  private var cursor: Int
  /// Whether a session is open: then a number is its speed.
  let isInSession: Bool

  /// The maximum number of characters.
  static let limit = 200

  init(text: String, isInSession: Bool) {
    (self.text, self.isInSession) = (text, isInSession)
    cursor = text.count
  }

  /// The commands that are neither parameters nor targets of a control.
  private static let commands = [
    "save", "remove", "rename", "move", "open", "close", "quit", "help", "calibrate", "drum", "learn",
    "unlearn", "map",
  ]

  /// Whether a character begins an entry.
  static func begins(with character: Character) -> Bool { "1"..."9" ~= character || character == ":" }

  private enum Kind {
    case tempo, speed, meter, parameter
  }

  private var kind: Kind {
    if text.hasPrefix(":") { return .parameter }
    return text.contains("/") ? .meter : isInSession ? .speed : .tempo
  }

  /// Whether the next character can be a space.
  var takesSpace: Bool { kind == .parameter && text != ":" }

  /// The text with a hint, and the number of characters before the cursor. If there is no room, only the part of the text around the
  /// cursor.
  func prompt(columns: Int) -> (text: String, cursor: Int) {
    let (before, after): (String, String) =
      switch kind {
      case .tempo: ("tempo ", "Enter sets it; 7/8 is a meter")
      case .speed: ("speed ", "%  Enter sets it")
      case .meter: ("meter ", "Enter sets it")
      case .parameter: ("", "a name and a value, or a command: sound cowbell, go")
      }
    // Behind the text the cursor is a character of its own.
    let typed = Array(text + (cursor == text.count ? "_" : " "))
    guard kind == .parameter, typed.count > columns else {
      return ("\(before)\(String(typed))  \(after)", before.count + cursor)
    }
    let first = min(max(cursor - columns + 1, 0), cursor)
    return (String(typed[first..<min(first + max(columns, 1), typed.count)]), cursor - first)
  }

  // MARK: Editing

  /// The least number of characters before the cursor: nothing is typed before a colon.
  private var first: Int { text.hasPrefix(":") ? 1 : 0 }

  private var place: String.Index { text.index(text.startIndex, offsetBy: cursor) }

  /// Inserts a character at the cursor if it can be part of the entry.
  mutating func insert(_ character: Character) {
    let fits = kind == .parameter ? !character.isNewline : "0"..."9" ~= character || "./".contains(character)
    let limit = kind == .parameter ? PanelEntry.limit : 7
    guard fits, text.count < limit else { return }
    // A character that combines with its neighbour does not make the text longer.
    let after = text.count - cursor
    text.insert(character, at: place)
    cursor = max(text.count - after, first)
  }

  /// Moves the cursor.
  mutating func move(by characters: Int) { cursor = min(max(cursor + characters, first), text.count) }

  /// Deletes the character before the cursor.
  /// - Returns: whether any text is left.
  mutating func erase() -> Bool {
    if text == ":" { return false }
    if cursor > first { text.remove(at: text.index(before: place)) }
    move(by: -1)
    return !text.isEmpty
  }

  /// Deletes the character at the cursor.
  mutating func eraseNext() {
    if cursor < text.count { text.remove(at: place) }
    move(by: 0)
  }

  /// Deletes the text before the cursor, or the word and the spaces after it.
  mutating func eraseBefore(word: Bool) {
    let before = Array(text.prefix(cursor))
    var kept = before.count
    if word {
      while kept > first, before[kept - 1] == " " { kept -= 1 }
      while kept > first, before[kept - 1] != " " { kept -= 1 }
    } else {
      kept = first
    }
    text = String(before[..<kept]) + text.suffix(text.count - before.count)
    cursor = kept
  }

  /// The update that the text means.
  /// - Parameter snapshot: the present state. A meter without a note keeps its note; a switch without a value is toggled.
  /// - Throws: `InvalidValue` for anything else.
  func update(_ snapshot: Snapshot, _ table: ParameterTable) throws(InvalidValue) -> Update {
    switch kind {
    case .tempo: return .set(.tempo(try Tempo(text: text)))
    case .meter: return .set(.meter(try PanelEntry.meter(text, snapshot)))
    case .speed:
      guard let percent = Int(text) else {
        throw InvalidValue("speed", quoted(text), allowed: "whole, \(SessionSpeed.allowed)")
      }
      return .speed(percent: percent)
    case .parameter: return try command(snapshot, table)
    }
  }

  /// `:sound cowbell`, `:preset Verse`, `:open gig.yaml`, `:stop/bar`.
  private func command(_ snapshot: Snapshot, _ table: ParameterTable) throws(InvalidValue) -> Update {
    let words = text.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
    let typed = words.count > 1 ? words[1] : ""
    let value = PanelEntry.bare(typed)
    switch words.first {
    case "preset"?: return .preset(.recall(PresetChoice(text: value)))
    case "save"?: return .preset(.save(value))
    case "remove"?: return .preset(.remove(PresetChoice(text: value)))
    case "rename"?: return .preset(try PanelEntry.renaming(typed, snapshot.settings.presets))
    case "move"?: return .preset(try PanelEntry.moving(typed))
    case "open"? where !value.isEmpty: return .open(path: value)
    case "close"? where value.isEmpty: return .open(path: "")
    case "quit"?, "q"?:
      throw InvalidValue("typed", quoted(text), allowed: "the key q: Esc, and then q, quits")
    case "help"?:
      throw InvalidValue("typed", quoted(text), allowed: "the key ?: Esc, and then ?, lists the keys")
    case "calibrate"?: return .calibrate(value)
    case "meter"?: return .set(.meter(try PanelEntry.meter(value, snapshot)))
    case "set"? where !value.isEmpty:
      throw InvalidValue("typed", quoted(text), allowed: ":\(value), without set")
    case "role"?: return try RequestedRole(text: value).update
    case "drum"?: return .learnDrum(try Drum(text: value))
    case "learn"?: return .learn(try MIDIAction(text: value, among: table))
    case "unlearn"?: return .unlearn(value.isEmpty ? nil : try MIDITarget(text: value, among: table))
    case "map"?:
      guard let map = MIDIMap(rawValue: value) else {
        let names = MIDIMap.allCases.map(\.rawValue).joined(separator: ", ")
        throw InvalidValue("map", quoted(value), allowed: "one of \(names)")
      }
      return .load(map)
    case "song"? where Int(value) != nil: return .go(.song(Int(value)!))
    case "fade"?:
      guard let seconds = value.isEmpty ? Double(FadeTime.standard) / 1_000 : Double(value) else {
        throw InvalidValue("fade", quoted(value), allowed: FadeTime.allowed)
      }
      return .fade(milliseconds: try FadeTime.milliseconds(seconds))
    case let number? where words.count == 1 && "0"..."9" ~= (number.first ?? " "):
      return try PanelEntry(text: number, isInSession: isInSession).update(snapshot, table)
    case let name?:
      if table[name] == Parameters.tempo.parameter, let sign = value.first, "+-".contains(sign) {
        throw InvalidValue(
          "tempo", quoted(value), allowed: "without a sign; :tempo/nudge \(value) moves the tempo")
      }
      if let parameter = table[name], !value.isEmpty || !parameter.isFlag {
        return .set(try Setting(parameter, text: value))
      }
      // Targets that a control can learn can be typed, too.
      let text = value.isEmpty ? name : "\(name) \(value)"
      let target =
        !value.isEmpty && MIDITarget.example(name) != nil
        ? try MIDITarget(text: text, among: table) : try? MIDITarget(text: text, among: table)
      if let update = target?.update(snapshot, program: nil) { return update }
      if let name = MIDITarget.corrected(name, among: table, and: PanelEntry.commands) {
        throw InvalidValue("typed", quoted(self.text), allowed: ":\(name), perhaps")
      }
      if value.isEmpty, let example = MIDITarget.example(name) {
        throw InvalidValue("typed", quoted(self.text), allowed: "with a value, as :\(example)")
      }
      if MIDITarget.isPlain(name) {
        throw InvalidValue("typed", quoted(self.text), allowed: ":\(name), without a value")
      }
    case nil: break
    }
    throw InvalidValue(
      "typed", quoted(text),
      allowed: "a parameter and its value, as :sound cowbell, or a command, as :go or :goto chorus")
  }

  /// Reads a meter. One without a note, `7` or `7/`, keeps the present note.
  private static func meter(_ text: String, _ snapshot: Snapshot) throws(InvalidValue) -> Meter {
    let count = text.last == "/" ? text.dropLast() : text[...]
    return try Meter(text: Int(count) == nil ? text : "\(count)/\(snapshot.settings.meter.unit)")
  }

  /// Reads `Verse to Chorus`. Names may contain spaces and the word `to`: the split whose first part is a preset is used.
  private static func renaming(_ text: String, _ presets: PresetList) throws(InvalidValue) -> PresetUpdate {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let ways = words.indices.filter { words[$0] == "to" }.map { index in
      (
        old: bare(words[..<index].joined(separator: " ")),
        new: bare(words[(index + 1)...].joined(separator: " "))
      )
    }.filter { !$0.old.isEmpty && !$0.new.isEmpty }
    let known = ways.first { presets.number(of: $0.old) != nil }
    guard let way = known ?? ways.first else {
      throw InvalidValue(
        "rename", quoted(text), allowed: "a preset and its new name, for example :rename Verse to Chorus")
    }
    return .rename(PresetChoice(text: way.old), to: way.new)
  }

  /// Reads `Verse 1`: the last word is the new number.
  private static func moving(_ text: String) throws(InvalidValue) -> PresetUpdate {
    let words = text.split(separator: " ")
    let name = bare(words.dropLast().joined(separator: " "))
    guard let number = words.last.flatMap({ Int($0) }), !name.isEmpty else {
      throw InvalidValue(
        "move", quoted(text), allowed: "a preset and its new number, for example :move Verse 1")
    }
    return .move(PresetChoice(text: name), to: number)
  }

  /// The text without surrounding spaces and quotation marks.
  private static func bare(_ text: String) -> String {
    var text = text[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    if text.count > 1, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    return String(text)
  }
}
