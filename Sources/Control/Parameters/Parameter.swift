import MusicTime
import Validation

/// The declaration of one user setting: name, range, unit, default, step and help, and which inputs may change it.
///
/// Parameters are declared once, in `Parameters`. The OSC namespace, MIDI learn, the state file, the command line, the panel
/// and the reference tables derive from it. Two parameters with the same name are equal.
package final class Parameter: Sendable {
  /// Its OSC address below `/tactus/`, also used for MIDI learn and `--set`.
  package let name: String
  /// A short name for the panel.
  package let label: String
  /// The type and range of its values.
  package let kind: ParameterKind
  /// The unit of its number; empty if it has none.
  package let unit: String
  /// One line of help.
  package let summary: String
  /// The default value.
  package let standard: ParameterValue
  /// Its path of keys in the state file, outermost first. Empty if it is not saved.
  package let savedAs: [String]
  /// Whether a session's document sets it, so that it can't be set while a session is open.
  package let isMusic: Bool
  /// The key with which sections of documents set it in text form; nil if they can't, or if they use another form, as for the
  /// tempo.
  package let sectionKey: String?
  /// Whether it affects the bar's layout.
  package let isPattern: Bool
  /// Whether presets contain it.
  package let isInPresets: Bool
  /// How a fader or an encoder changes it; nil if they can't.
  package let control: Control?
  /// Other spellings of the name, which are accepted wherever it is typed or sent.
  package let otherNames: [String]

  /// How MIDI controls change a parameter.
  package struct Control: Sendable {
    /// The default range of a fader.
    package let range: ClosedRange<Double>
    /// The change for one detent of an encoder.
    package let detent: Double

    /// - Parameters:
    ///   - range: the default range of a fader.
    ///   - detent: the change for one detent of an encoder.
    package init(range: ClosedRange<Double>, detent: Double) { (self.range, self.detent) = (range, detent) }
  }

  private let check: @Sendable (ParameterValue, Parameter) throws(InvalidValue) -> ParameterValue
  private let parse: @Sendable (String, Parameter) throws(InvalidValue) -> ParameterValue
  private let write: @Sendable (ParameterValue, Parameter) -> String

  /// - Parameters:
  ///   - type: the type that validates the values.
  ///   - savedAs: nil for the name itself; empty if it is not saved.
  ///   - isInPresets: whether presets hold it although it is not music. They hold all music.
  ///   - sectionKey: the key with which sections of documents set it, in its text form; it is music then.
  init<Value: ParameterRepresentable>(
    _ name: String, _ type: Value.Type, _ kind: ParameterKind, unit: String = "", standard: Value,
    savedAs: [String]? = nil, isMusic: Bool = false, isPattern: Bool = false, isInPresets: Bool = false,
    sectionKey: String? = nil, control: Control? = nil, label: String? = nil, otherNames: [String] = [],
    _ summary: String
  ) {
    self.name = name
    self.otherNames = otherNames
    self.label = label ?? name
    self.kind = kind
    self.unit = unit
    self.summary = summary
    self.standard = standard.parameterValue
    self.savedAs = savedAs ?? [name]
    self.isMusic = isMusic || isPattern || sectionKey != nil
    self.sectionKey = sectionKey
    self.isPattern = isPattern
    self.isInPresets = isInPresets || self.isMusic
    self.control = control
    check = { value, parameter throws(InvalidValue) in try Value(value, of: parameter).parameterValue }
    parse = { text, parameter throws(InvalidValue) in
      try Value(text: text, of: parameter).parameterValue
    }
    write = { value, parameter in (try? Value(value, of: parameter))?.parameterText ?? "\(value)" }
  }

  /// Validates a value and rounds it to the parameter's step.
  /// - Throws: `InvalidValue` if the value is out of range or of another kind.
  package func checked(_ value: ParameterValue) throws(InvalidValue) -> ParameterValue {
    try check(value, self)
  }

  /// Parses a value's text form: `133.7`, `7/8`, `lead`. A number may have its unit: `96 bpm`, `10 ms`, `50 %`.
  /// - Throws: `InvalidValue`.
  package func value(text: String) throws(InvalidValue) -> ParameterValue {
    try parse(numberWithoutUnit(text) ?? text, self)
  }

  /// The number of a text that has the parameter's unit; per cents keep theirs. nil for any other text.
  private func numberWithoutUnit(_ text: String) -> String? {
    switch kind {
    case .number, .integer: break
    default: return nil
    }
    let units = ["%"] + (unit.isEmpty ? [] : [unit]) + (Parameter.shortUnits[unit] ?? [])
    let lower = text.lowercased()
    guard let found = units.first(where: { lower.hasSuffix($0) }) else { return nil }
    let number = text.dropLast(found.count).split(separator: " ", omittingEmptySubsequences: true)
    guard number.count == 1, Double(number[0]) != nil || withDecimalPoint(number[0]) != nil
    else { return nil }
    return number[0] + (found == "%" ? "%" : "")
  }

  private static let shortUnits = [Tempo.unit: ["bpm"], "words a minute": ["wpm"]]

  /// A value's text form.
  package func text(_ value: ParameterValue) -> String { write(value, self) }

  /// A value as a label shows it: `133.7 BPM`, `7/8`.
  package func labelText(_ value: ParameterValue) -> String {
    let text = text(value)
    guard let unit = Parameter.shortUnits[unit]?.first?.uppercased() ?? (unit.isEmpty ? nil : unit) else {
      return text
    }
    return "\(text) \(unit)"
  }

  /// Whether a number out of range counts as the nearest allowed value. This holds if faders cover the whole range: then only a
  /// fader with other ends sends such a number. If faders cover a part of the range, the number may be a mistake.
  package var isClamped: Bool { control.map { $0.range == bounds } ?? false }

  /// Whether its values are volumes, which also have decibels.
  package var isVolume: Bool { kind == .volume }

  /// The accepted values, for messages: `0…1`, `-500…500 ms`, `now, beat, bar`.
  package var allowed: String {
    let range =
      switch kind {
      case .number(let bounds, _): "\(plain(bounds.lowerBound))…\(plain(bounds.upperBound))"
      case .integer(let bounds): bounds.shown
      case .flag: "0, 1"
      case .choice(let names): names.joined(separator: ", ")
      case .text(let allowed), .pair(_, _, let allowed): allowed
      }
    return unit.isEmpty ? range : "\(range) \(unit)"
  }

  /// The help text with the accepted values.
  /// - Parameter form: the accepted values, if they differ from `allowed`.
  package func help(_ form: String? = nil) -> String { "\(summary) (\(form ?? allowed))" }

  /// The part of a control's range that the current profile allows.
  /// - Parameter wanted: the control's range; nil: the parameter's whole range.
  func range(_ wanted: ClosedRange<Double>?, in settings: Settings) -> ClosedRange<Double> {
    let range = wanted ?? bounds
    guard self == Parameters.tempo.parameter else { return range }
    let tempos = settings.profile.tempos
    let reach = tempos.lowerBound.beatsPerMinute...tempos.upperBound.beatsPerMinute
    let allowed = range.clamped(to: reach)
    return allowed.lowerBound < allowed.upperBound ? allowed : reach
  }

  /// Whether it is a switch: on or off.
  package var isFlag: Bool { if case .flag = kind { true } else { false } }

  /// The range of a number; 0…1 for other kinds.
  package var bounds: ClosedRange<Double> {
    if case .number(let bounds, _) = kind { bounds } else { 0...1 }
  }

  /// Rounds a number to the parameter's step.
  package func nearest(_ number: Double) -> Double {
    if case .number(_, let parts) = kind { number.rounded(parts: parts) } else { number }
  }

  /// Reads a number.
  /// - Throws: `InvalidValue`. For a decimal comma it says how the number is written.
  func number(_ text: String) throws(InvalidValue) -> Double {
    if let number = Double(text) { return number }
    guard let pointed = withDecimalPoint(text) else { throw invalid(quoted(text)) }
    throw InvalidValue(name, quoted(text), allowed: "written with a point, as \(pointed)")
  }

  /// Makes a value. Its type's errors then name this parameter.
  func naming<Value>(_ make: () throws(InvalidValue) -> Value) throws(InvalidValue) -> Value {
    do throws(InvalidValue) { return try make() } catch {
      throw InvalidValue(name, error.value, allowed: error.allowed)
    }
  }

  /// The error for a value that this parameter does not allow.
  func invalid(_ value: String) -> InvalidValue {
    if case .choice = kind { return InvalidValue(name, value, allowed: "one of \(allowed)") }
    return InvalidValue(name, value, allowed: allowed)
  }
}

extension Parameter: Hashable {
  package static func == (a: Parameter, b: Parameter) -> Bool { a === b || a.name == b.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A parameter with a typed value.
package struct TypedParameter<Value: ParameterRepresentable>: Sendable {
  package let parameter: Parameter

  /// Declares a parameter.
  /// - Parameters:
  ///   - savedAs: nil for the name itself; empty if it is not saved.
  ///   - isInPresets: whether presets hold it although it is not music. They hold all music.
  ///   - sectionKey: the key with which sections of documents set it, in its text form; it is music then.
  ///   - label: nil: the name itself.
  ///   - otherNames: other spellings, which OSC accepts, too.
  package init(
    _ name: String, _ kind: ParameterKind, unit: String = "", standard: Value, savedAs: [String]? = nil,
    isMusic: Bool = false, isPattern: Bool = false, isInPresets: Bool = false, sectionKey: String? = nil,
    control: Parameter.Control? = nil, label: String? = nil, otherNames: [String] = [], _ summary: String
  ) {
    parameter = Parameter(
      name, Value.self, kind, unit: unit, standard: standard, savedAs: savedAs, isMusic: isMusic,
      isPattern: isPattern, isInPresets: isInPresets, sectionKey: sectionKey, control: control,
      label: label, otherNames: otherNames, summary)
  }
}
