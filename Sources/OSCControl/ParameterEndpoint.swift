import Control
import OSC
import Validation

extension Endpoint {
  /// The endpoint of a parameter, made from its declaration.
  init(_ parameter: Parameter) {
    let standard = "\(parameter.standard)"
    self.init(
      parameter.name, parameter.kind.types, parameter.allowed,
      standard: standard.isEmpty ? "empty" : standard, unit: parameter.unit,
      shapes: ArgumentShape.shapes(of: parameter), parameter.summary,
      .set {
        // A text of per cents, as people write it: 50%.
        if case .number = parameter.kind, let text = $0.arguments[0].text, text.last == "%" {
          return .set(try Setting(parameter, text: text))
        }
        return .set(try Setting(parameter, $0.value(as: parameter.kind)))
      },
      value: { AddressSpace.arguments($0.settings[parameter]) })
  }
}

extension ParameterKind {
  /// The type tags of an OSC message that carries a value.
  fileprivate var types: String {
    switch self {
    case .number: "f"
    case .integer, .flag: "i"
    case .choice, .text: "s"
    case .pair: "ii"
    }
  }
}

extension OSCArguments {
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
  /// A value as OSC carries it.
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
