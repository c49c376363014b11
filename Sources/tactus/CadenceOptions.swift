import ArgumentParser
import Control
import Validation

/// The options for the runner, shared by `play` and `cadence`.
struct CadenceOptions: ParsableArguments {
  @Option(
    parsing: .unconditional, help: "The runner's height, such as 1.80, 180cm or 5ft11in.",
    transform: { try Measure.height($0) })
  var height: Double?

  @Option(
    parsing: .unconditional, help: "Steps per minute to add to the suggestion, −10…10.",
    transform: { try readNumber($0, "offset", CadenceConstant.offset.allowed) })
  var offset: Double?

  @Option(
    help: ArgumentHelp(
      "A constant of the cadence model, such as slope=7. Repeatable. Constants: \(CadenceOptions.names).",
      valueName: "name=number"),
    transform: ConstantOption.init)
  var cadence: [ConstantOption] = []

  private static let names = CadenceConstant.allCases.map(\.rawValue).joined(separator: ", ")

  /// The given options as settings.
  /// - Throws: `InvalidValue` for a value out of its range.
  var settings: [Setting] {
    get throws(InvalidValue) {
      var settings: [Setting] = []
      for (constant, value) in constants {
        settings.append(try Parameters.cadence(constant).setting(value))
      }
      return settings
    }
  }

  /// The given constants by name.
  var constants: [CadenceConstant: Double] {
    var constants: [CadenceConstant: Double] = [:]
    for option in cadence { constants[option.constant] = option.value }
    if let height { constants[.height] = height }
    if let offset { constants[.offset] = offset }
    return constants
  }
}

/// A constant and its value: `slope=7`.
struct ConstantOption {
  let constant: CadenceConstant
  let value: Double

  @Sendable
  init(_ text: String) throws {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let constant = CadenceConstant(rawValue: parts[0]) else {
      let names = CadenceConstant.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidValue("cadence", quoted(text), allowed: "name=number; the names are \(names)")
    }
    self.constant = constant
    guard parts.count == 2, !parts[1].isEmpty else {
      throw InvalidValue(
        "cadence", quoted(text), allowed: "\(constant.rawValue)=number, with a value of \(constant.allowed)")
    }
    value = try readNumber(parts[1], constant.rawValue, constant.allowed)
  }
}
