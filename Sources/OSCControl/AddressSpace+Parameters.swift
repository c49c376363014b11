import Control
import OSC
import Validation

extension Endpoint {
  /// The endpoint of a parameter, derived from its declaration.
  /// - Parameter name: one of the parameter's other names; nil for its own.
  init(_ parameter: Parameter, named name: String? = nil) {
    let standard = "\(parameter.standard)"
    self.init(
      name ?? parameter.name, parameter.kind.types, takes: 1...parameter.kind.types.count, parameter.allowed,
      standard: standard.isEmpty ? "empty" : standard, unit: parameter.unit,
      shapes: ArgumentShape.shapes(of: parameter), family: parameter.name,
      name == nil ? parameter.summary : "As `\(parameter.name)`.",
      .set { try .set($0.setting(of: parameter)) },
      value: { AddressSpace.arguments($0.settings[parameter]) })
  }
}

extension ParameterKind {
  /// The type tags of a message with a value.
  fileprivate var types: String {
    switch self {
    case .number: "f"
    case .integer, .flag: "i"
    case .choice, .text: "s"
    case .pair: "ii"
    }
  }

  /// Whether a text is parsed in the notation for people, and not only as a number.
  fileprivate func isRead(from text: String) -> Bool {
    switch self {
    case .number: text.last == "%"
    case .pair: true
    case .integer, .flag, .choice, .text: false
    }
  }
}

extension OSCArguments {
  /// The setting of a parameter, from arguments of its types or from a text in the notation for people: `50%`, `7/8`.
  /// - Throws: `InvalidValue`.
  fileprivate func setting(of parameter: Parameter) throws(InvalidValue) -> Setting {
    if count == 1, let text = arguments[0].text, parameter.kind.isRead(from: text) {
      return try Setting(parameter, text: text)
    }
    try require(
      parameter.kind.types.count...parameter.kind.types.count, as: OSCArguments.forms(of: parameter))
    let value = try value(as: parameter.kind)
    // A text is taken exactly, and refused if it is out of range. Only a fader's number is clamped.
    guard case .number(let number) = value, parameter.isClamped, arguments[0].text == nil else {
      return try Setting(parameter, value)
    }
    return try Setting(fader: parameter, number)
  }

  /// What arguments with these type tags are called in errors.
  static func form(ofTypes types: String) -> String {
    types.count == 1 ? "one value of the OSC type \(types)" : "the OSC types \(types)"
  }

  /// What a parameter takes, for errors.
  private static func forms(of parameter: Parameter) -> String {
    guard case .pair = parameter.kind else { return form(ofTypes: parameter.kind.types) }
    let example = parameter.text(parameter.standard)
    return "two integers, or a text" + (example.isEmpty ? "" : " such as \(example)")
  }

  /// - Throws: `InvalidValue` for arguments of another type.
  fileprivate func value(as kind: ParameterKind) throws(InvalidValue) -> ParameterValue {
    switch kind {
    case .number: .number(try number(0))
    case .integer: .integer(try integer(0))
    case .flag: .flag(try truth(0))
    case .choice, .text: .text(try text(0))
    case .pair: .pair(try integer(0), try integer(1))
    }
  }
}

extension AddressSpace {
  /// A value as the arguments of a message.
  static func arguments(_ value: ParameterValue) -> [OSCArgument] {
    switch value {
    case .number(let number): [.float(Float(number))]
    case .integer(let integer): ints(integer)
    case .flag(let flag): ints(flag ? 1 : 0)
    case .text(let text): [.string(text)]
    case .pair(let first, let second): ints(first, second)
    }
  }
}
