import MusicTime
import Validation

/// The metronome's settings under a name: what it plays and how loud, but not its role on the transport or its connections.
package struct Preset: Hashable, Sendable {
  package let name: String
  /// The values that differ from the standard, only of parameters that presets contain.
  let values: [Parameter: ParameterValue]

  /// The maximum length of a name, in bytes.
  static let nameLimit = 64

  /// A preset of the current settings.
  /// - Throws: `InvalidValue` if the name is not allowed.
  package init(_ name: String, of settings: Settings) throws(InvalidValue) {
    self.name = try Preset.checked(name)
    values = Preset.values(of: settings)
  }

  /// The values that a recall applies. In an Ableton Link session the tempo may be outside the profile: the nearest allowed
  /// tempo is saved.
  private static func values(of settings: Settings) -> [Parameter: ParameterValue] {
    var values = settings.changed.filter { $0.key.isInPresets }
    let parameter = Parameters.tempo.parameter
    let tempo = settings.profile.clamped(settings.tempo).parameterValue
    values[parameter] = tempo == parameter.standard ? nil : tempo
    return values
  }

  private init(_ name: String, _ values: [Parameter: ParameterValue]) {
    (self.name, self.values) = (name, values)
  }

  /// A copy with another name.
  /// - Throws: `InvalidValue` if the name is not allowed.
  func renamed(_ name: String) throws(InvalidValue) -> Preset { Preset(try Preset.checked(name), values) }

  /// The settings that a recall applies, in this order.
  package var settings: [Setting] {
    Parameters.all.filter(\.isInPresets).compactMap { parameter in
      // Can't fail: the values were checked before.
      try? Setting(parameter, values[parameter] ?? parameter.standard)
    }
  }

  /// The value of a parameter.
  package subscript(parameter: Parameter) -> ParameterValue { values[parameter] ?? parameter.standard }

  package var tempo: Tempo { value(of: Parameters.tempo) }
  package var meter: Meter { value(of: Parameters.meter) }

  private func value<Value>(of parameter: TypedParameter<Value>) -> Value {
    // Can't fail: the values were checked before, and standard values are valid.
    try! Value(self[parameter.parameter], of: parameter.parameter)
  }

  /// Whether the settings equal the preset.
  func isAsSet(_ settings: Settings) -> Bool {
    Preset.values(of: settings) == values
  }

  /// A name that is a number is refused, because it would mean a place in the list.
  private static func checked(_ name: String) throws(InvalidValue) -> String {
    let isPlain =
      !name.isEmpty && name.utf8.count <= nameLimit && name.unicodeScalars.allSatisfy(\.isPrintable)
    guard isPlain, name.first != " ", name.last != " ", Int(name) == nil,
      !["next", "previous"].contains(name)
    else {
      throw InvalidValue(
        "preset", quoted(name),
        allowed: "a name of 1 to \(nameLimit) bytes that is no number, and not next or previous")
    }
    return name
  }
}

/// The presets in the user's order, and the current one.
package struct PresetList: Hashable, Sendable {
  /// The maximum number of presets: one for each MIDI program.
  package static let limit = 128

  package private(set) var all: [Preset] = []
  /// The name of the preset that was recalled or saved last; nil if there is none, or if it was removed.
  package private(set) var current: String?

  package init() {}

  package var currentPreset: Preset? { current.flatMap(index).map { all[$0] } }

  /// The number of the current preset, from 1; nil if there is none.
  package var currentNumber: Int? { current.flatMap(index).map { $0 + 1 } }

  /// The number, from 1, of the preset with this name; nil if there is none. See `found` for the case of letters.
  package func number(of name: String) -> Int? { found(name).map { $0 + 1 } }

  /// Whether a choice is the current preset; nil for `next` and `previous`, which never are.
  func isCurrent(_ choice: PresetChoice) -> Bool? {
    switch choice {
    case .name(let name): currentNumber != nil && currentNumber == number(of: name)
    case .number(let number): currentNumber == number
    case .next, .previous: nil
    }
  }

  // MARK: Changing

  /// Adds a preset, or replaces the one that `found` returns for its name. It becomes the current one.
  /// - Throws: `InvalidValue` if there are too many.
  mutating func save(_ preset: Preset) throws(InvalidValue) {
    if let index = found(preset.name) {
      all[index] = preset
    } else {
      try append(preset)
    }
    current = preset.name
  }

  /// Adds a preset from the state file.
  /// - Throws: `InvalidValue` if there are too many, or one has the same name.
  package mutating func append(_ preset: Preset) throws(InvalidValue) {
    guard index(of: preset.name) == nil else {
      throw InvalidValue("preset", quoted(preset.name), allowed: "a name that no other preset has")
    }
    guard all.count < PresetList.limit else {
      throw InvalidValue(
        "preset", quoted(preset.name),
        allowed: "one of at most \(PresetList.limit); remove another first, or save under its name")
    }
    all.append(preset)
  }

  /// Makes a preset the current one.
  /// - Throws: `InvalidValue` if there is no such preset.
  package mutating func use(_ choice: PresetChoice) throws(InvalidValue) -> Preset {
    let preset = all[try index(of: choice)]
    current = preset.name
    return preset
  }

  /// - Throws: `InvalidValue` if there is no such preset, or another one has the new name.
  mutating func rename(_ choice: PresetChoice, to name: String) throws(InvalidValue) {
    let index = try index(of: choice)
    let renamed = try all[index].renamed(name)
    let other = found(name)
    guard other == nil || other == index else {
      throw InvalidValue("preset", quoted(name), allowed: "a name that no other preset has")
    }
    if current == all[index].name { current = name }
    all[index] = renamed
  }

  /// Moves a preset to another place.
  /// - Parameter number: from 1.
  /// - Throws: `InvalidValue` if there is no such preset or place.
  mutating func move(_ choice: PresetChoice, to number: Int) throws(InvalidValue) {
    let index = try index(of: choice)
    guard 1...all.count ~= number else {
      throw InvalidValue("preset", "place \(number)", allowed: "1…\(all.count)")
    }
    all.insert(all.remove(at: index), at: number - 1)
  }

  /// - Throws: `InvalidValue` if there is no such preset.
  mutating func remove(_ choice: PresetChoice) throws(InvalidValue) {
    let removed = all.remove(at: try index(of: choice))
    if current == removed.name { current = nil }
  }

  // MARK: Finding

  private func index(of name: String) -> Int? { all.firstIndex { $0.name == name } }

  /// The preset with exactly this name; otherwise the only one whose name differs just in case; nil if there is none.
  private func found(_ name: String) -> Int? {
    if let index = index(of: name) { return index }
    let wanted = name.lowercased()
    let found = all.indices.filter { all[$0].name.lowercased() == wanted }
    return found.count == 1 ? found[0] : nil
  }

  private func index(of choice: PresetChoice) throws(InvalidValue) -> Int {
    let now = current.flatMap(index)
    let chosen: Int? =
      switch choice {
      case .name(let name): found(name)
      case .number(let number): number > 0 && number <= all.count ? number - 1 : nil
      case .next: now.map { ($0 + 1) % all.count } ?? all.indices.first
      case .previous: now.map { ($0 + all.count - 1) % all.count } ?? all.indices.last
      }
    if let chosen { return chosen }
    throw InvalidValue("preset", "\(choice)", allowed: known)
  }

  /// The names that exist, for errors.
  private var known: String {
    guard !all.isEmpty else { return "one that was saved; there is none yet" }
    let names = all.prefix(8).enumerated().map { "\($0 + 1) \(quoted($1.name))" }.joined(separator: ", ")
    return "one that was saved: \(names)\(all.count > 8 ? " and \(all.count - 8) more" : "")"
  }
}

/// The selection of a preset.
package enum PresetChoice: Hashable, Sendable {
  case name(String)
  /// From 1.
  case number(Int)
  /// The preset after, or before, the current one; wraps around.
  case next, previous

  /// A name, a number, `next` or `previous`.
  package init(text: String) {
    self =
      switch text {
      case "next": .next
      case "previous": .previous
      default: Int(text).map { .number($0) } ?? .name(text)
      }
  }
}

extension PresetChoice {
  /// The text form; the inverse of `init(text:)`.
  package var text: String {
    switch self {
    case .name(let name): name
    case .number(let number): "\(number)"
    case .next: "next"
    case .previous: "previous"
    }
  }
}

extension PresetChoice: CustomStringConvertible {
  /// The form in error messages.
  package var description: String { if case .name(let name) = self { quoted(name) } else { text } }
}

/// A change of the presets.
package enum PresetUpdate: Equatable, Sendable {
  /// Saves the present settings under a name; replaces the preset that has it.
  case save(String)
  case recall(PresetChoice)
  case rename(PresetChoice, to: String)
  /// To a number from 1.
  case move(PresetChoice, to: Int)
  case remove(PresetChoice)
}
