import Engine
import MusicTime
import TimeCheck
import Validation

/// A type of parameter values.
package protocol ParameterRepresentable: Hashable, Sendable {
  /// - Throws: `InvalidValue` if the type, or the parameter's kind, does not allow the value.
  init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue)
  /// Parses the text form: `7/8`, `133.7`, `lead`.
  /// - Throws: `InvalidValue`.
  init(text: String, of parameter: Parameter) throws(InvalidValue)
  var parameterValue: ParameterValue { get }
  /// The text form.
  var parameterText: String { get }
}

extension ParameterRepresentable {
  package var parameterText: String { "\(parameterValue)" }
}

// MARK: Numbers

/// A type of numbers within bounds.
protocol NumberRepresentable: ParameterRepresentable {
  init(_ number: Double) throws(InvalidValue)
  var number: Double { get }
}

extension NumberRepresentable {
  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .number(let number) = value else { throw parameter.invalid("\(value)") }
    self = try parameter.naming { () throws(InvalidValue) in try Self(number) }
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    let number = try parameter.number(text)
    self = try parameter.naming { () throws(InvalidValue) in try Self(number) }
  }

  package var parameterValue: ParameterValue { .number(number) }
}

extension Tempo: NumberRepresentable {
  package init(text: String, of parameter: Parameter) throws(InvalidValue) { try self.init(text: text) }
  var number: Double { beatsPerMinute }
}

extension Swing: NumberRepresentable {
  package init(text: String, of parameter: Parameter) throws(InvalidValue) { try self.init(text: text) }
  var number: Double { amount }
}

extension Volume: NumberRepresentable {
  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    if text.last != "%" { _ = try parameter.number(text) }
    self = try parameter.naming { () throws(InvalidValue) in try Volume(text: text) }
  }

  // The shortest decimal of the `Float`: 0.1 rather than 0.10000000149.
  var number: Double { Double("\(gain)") ?? Double(gain) }
}

extension ClockOffset: NumberRepresentable {
  var number: Double { milliseconds }
}

extension Double: NumberRepresentable {
  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .number(let number) = value, case .number(let bounds, let parts) = parameter.kind,
      bounds.contains(number)
    else { throw parameter.invalid("\(value)") }
    self = number.rounded(parts: parts)
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    try self.init(.number(try parameter.number(text)), of: parameter)
  }

  var number: Double { self }
}

// MARK: Whole numbers and truth values

extension Int: ParameterRepresentable {
  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .integer(let integer) = value, case .integer(let bounds) = parameter.kind,
      bounds.contains(integer)
    else { throw parameter.invalid("\(value)") }
    self = integer
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    guard let integer = Int(text) else { throw parameter.invalid(quoted(text)) }
    try self.init(.integer(integer), of: parameter)
  }

  package var parameterValue: ParameterValue { .integer(self) }
}

extension Bool: ParameterRepresentable {
  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .flag(let flag) = value else { throw parameter.invalid("\(value)") }
    self = flag
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    switch text {
    case "1", "true", "on", "yes": self = true
    case "0", "false", "off", "no": self = false
    default: throw InvalidValue(parameter.name, quoted(text), allowed: "on or off, or 1 or 0")
    }
  }

  package var parameterValue: ParameterValue { .flag(self) }
}

// MARK: Texts and choices

extension String: ParameterRepresentable {
  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .text(let text) = value else { throw parameter.invalid("\(value)") }
    self = text
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) { self = text }

  package var parameterValue: ParameterValue { .text(self) }
}

/// A type with a text form: one of several names, or a format of its own.
protocol TextRepresentable: ParameterRepresentable {
  init(text: String) throws(InvalidValue)
  var text: String { get }
}

extension TextRepresentable {
  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .text(let text) = value else { throw parameter.invalid("\(value)") }
    try self.init(text: text, of: parameter)
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) { try self.init(text: text) }

  package var parameterValue: ParameterValue { .text(text) }
}

/// An enumeration's raw values.
protocol ChoiceRepresentable: ParameterRepresentable, RawRepresentable<String>, CaseIterable {}

extension ChoiceRepresentable {
  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .text(let text) = value else { throw parameter.invalid("\(value)") }
    try self.init(text: text, of: parameter)
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    guard let choice = Self(rawValue: text) else { throw parameter.invalid(quoted(text)) }
    self = choice
  }

  package var parameterValue: ParameterValue { .text(rawValue) }

  static var kind: ParameterKind { .choice(allCases.map(\.rawValue)) }
}

extension SyncMode: ChoiceRepresentable {}
extension Quantise: ChoiceRepresentable {}
extension MIDIClockLoss: ChoiceRepresentable {}
extension PublishedBeat: ChoiceRepresentable {}
extension TempoProfile: ChoiceRepresentable {}
extension Flash: ChoiceRepresentable {}

/// A missing value is written as empty text, or as a pair of zeros.
extension Optional: ParameterRepresentable where Wrapped: AbsentRepresentable {
  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    self = value == Wrapped.absent ? nil : try Wrapped(value, of: parameter)
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    self = text.isEmpty ? nil : try Wrapped(text: text, of: parameter)
  }

  package var parameterValue: ParameterValue { self?.parameterValue ?? Wrapped.absent }

  package var parameterText: String { self?.parameterText ?? "" }
}

/// A type whose value may be missing.
package protocol AbsentRepresentable: ParameterRepresentable {
  static var absent: ParameterValue { get }
}

extension AccentPattern: TextRepresentable, AbsentRepresentable {
  var text: String { description }
  package static var absent: ParameterValue { .text("") }
}

extension Groups: TextRepresentable, AbsentRepresentable {
  var text: String { description }
  package static var absent: ParameterValue { .text("") }
}

extension Layer: TextRepresentable, AbsentRepresentable {
  var text: String { description }
  package static var absent: ParameterValue { .text("") }
}

extension NoteMap: TextRepresentable {}

extension Polyrhythm: TextRepresentable, AbsentRepresentable {
  var text: String { description }
  package static var absent: ParameterValue { .text("") }
}

// MARK: Pairs

/// A type that consists of two whole numbers.
protocol PairRepresentable: ParameterRepresentable {
  init(_ first: Int, _ second: Int) throws(InvalidValue)
  init(text: String) throws(InvalidValue)
  var pair: (Int, Int) { get }
}

extension PairRepresentable {
  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .pair(let first, let second) = value else { throw parameter.invalid("\(value)") }
    try self.init(first, second)
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) { try self.init(text: text) }

  package var parameterValue: ParameterValue { .pair(pair.0, pair.1) }
}

extension Meter: PairRepresentable {
  /// A number alone counts quarters.
  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    try self.init(text: Int(text) == nil ? text : text + "/4")
  }

  var pair: (Int, Int) { (count, unit) }
  package var parameterText: String { description }
}

extension BeatUnit: PairRepresentable, AbsentRepresentable {
  var pair: (Int, Int) { (length.numerator, length.denominator) }
  package static var absent: ParameterValue { .pair(0, 0) }
  package var parameterText: String { description }
}

extension Gap: PairRepresentable {
  init(_ first: Int, _ second: Int) throws(InvalidValue) { try self.init(play: first, rest: second) }
  var pair: (Int, Int) { (play, rest) }
  package var parameterText: String { description }
}

extension Comparable {
  package func clamped(to bounds: ClosedRange<Self>) -> Self {
    min(max(self, bounds.lowerBound), bounds.upperBound)
  }
}
