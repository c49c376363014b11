import Validation

/// The arguments of one message, read by index.
package struct OSCArguments {
  /// The name of the message in errors.
  package let name: String
  package let arguments: [OSCArgument]
  /// Whether `number` and `integer` accept a text that contains a number.
  private let readsTexts: Bool

  package init(name: String, arguments: [OSCArgument], readsTexts: Bool = false) {
    self.name = name
    self.arguments = arguments
    self.readsTexts = readsTexts
  }

  package var count: Int { arguments.count }

  /// Whether the only argument is zero. Buttons send this when they are released. It triggers nothing.
  package var isRelease: Bool { count == 1 && arguments[0].number == 0 }

  /// Checks the number of arguments.
  /// - Parameter form: what the error says the message takes.
  /// - Throws: `InvalidValue` if the number of arguments is not in the range.
  package func require(_ counts: ClosedRange<Int>, as form: String) throws(InvalidValue) {
    guard counts.contains(count) else {
      let given = count == 0 ? "nothing" : arguments.map(\.description).joined(separator: " ")
      throw InvalidValue(name, quoted(given), allowed: "given as \(form)")
    }
  }

  /// A finite number of any numeric type. A float is read as the decimal that the sender wrote (`Float.asWritten`).
  /// - Parameter part: the name of the value in errors; nil for the name of the message.
  /// - Throws: `InvalidValue` for another type, for true and false, and if there is no such argument.
  package func number(_ index: Int, _ part: String? = nil) throws(InvalidValue) -> Double {
    let argument = try argument(index)
    guard !argument.isTruth, let number = argument.number ?? written(argument) else {
      throw invalid(index, part, "a number")
    }
    if case .float(let float) = argument { return float.asWritten }
    return number
  }

  /// A finite number within bounds.
  /// - Parameter allowed: what the error says is allowed.
  /// - Throws: `InvalidValue` as without bounds, and for a number outside them.
  package func number(
    _ index: Int, _ part: String? = nil, in bounds: some RangeExpression<Double>, _ allowed: String
  ) throws(InvalidValue) -> Double {
    let number = try number(index, part)
    guard bounds.contains(number) else { throw invalid(index, part, allowed) }
    return number
  }

  /// A whole number of any numeric type.
  /// - Throws: `InvalidValue` for another type, a fraction, true and false, and if there is no such argument.
  package func integer(_ index: Int, _ part: String? = nil) throws(InvalidValue) -> Int {
    let argument = try argument(index)
    guard !argument.isTruth, let integer = argument.integer ?? written(argument).flatMap({ Int(exactly: $0) })
    else { throw invalid(index, part, "a whole number") }
    return integer
  }

  /// The number that a text contains; nil for any other text.
  private func written(_ argument: OSCArgument) -> Double? {
    guard readsTexts, let text = argument.text, text.utf8.count <= 32 else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// A whole number within bounds.
  /// - Throws: `InvalidValue` as without bounds, and for a number outside them.
  package func integer(
    _ index: Int, _ part: String? = nil, in bounds: ClosedRange<Int>, _ allowed: String
  ) throws(InvalidValue) -> Int {
    let integer = try integer(index, part)
    guard bounds.contains(integer) else { throw invalid(index, part, allowed) }
    return integer
  }

  /// On or off: true or false, a word, or a number, which is on unless it is zero.
  /// - Throws: `InvalidValue` for everything else, and if there is no such argument.
  package func truth(_ index: Int) throws(InvalidValue) -> Bool {
    let argument = try argument(index)
    switch argument.text {
    case "on", "yes", "true", "1": return true
    case "off", "no", "false", "0": return false
    default: break
    }
    guard let truth = argument.truth else { throw invalid(index, nil, "a number, on or off") }
    return truth
  }

  /// - Throws: `InvalidValue` if the argument is no string or symbol, or is missing.
  package func text(_ index: Int) throws(InvalidValue) -> String {
    guard let text = try argument(index).text else { throw invalid(index, nil, "a text") }
    return text
  }

  /// The case of an enumeration that the first argument names.
  /// - Throws: `InvalidValue` if no case has that name.
  package func choice<T: RawRepresentable<String> & CaseIterable>() throws(InvalidValue) -> T {
    guard let value = T(rawValue: try text(0)) else {
      let names = T.allCases.map(\.rawValue).joined(separator: ", ")
      throw invalid(0, nil, "one of \(names)")
    }
    return value
  }

  private func argument(_ index: Int) throws(InvalidValue) -> OSCArgument {
    guard index < arguments.count else {
      throw InvalidValue(name, "with too few values", allowed: "given \(index + 1) or more")
    }
    return arguments[index]
  }

  private func invalid(_ index: Int, _ part: String?, _ allowed: String) -> InvalidValue {
    InvalidValue(part ?? name, quoted(arguments[index].description), allowed: allowed)
  }
}
