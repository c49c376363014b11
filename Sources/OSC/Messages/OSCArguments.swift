import Validation

/// The arguments of one message, read by index.
package struct OSCArguments {
  /// The name that errors give to the message.
  package let name: String
  package let arguments: [OSCArgument]
  /// Whether a text that is a number counts as that number.
  private let readsTexts: Bool

  package init(name: String, arguments: [OSCArgument], readsTexts: Bool = false) {
    self.name = name
    self.arguments = arguments
    self.readsTexts = readsTexts
  }

  package var count: Int { arguments.count }

  /// Whether the only argument is zero. Buttons send that when they are released; it triggers nothing.
  package var isRelease: Bool { count == 1 && arguments[0].number == 0 }

  /// - Throws: `InvalidValue` if the number of arguments is not in the range.
  package func require(_ counts: ClosedRange<Int>, as types: String) throws(InvalidValue) {
    guard counts.contains(count) else {
      let given = count == 0 ? "nothing" : arguments.map(\.description).joined(separator: " ")
      throw InvalidValue(name, quoted(given), allowed: "given as \(types)")
    }
  }

  package func number(_ index: Int, _ part: String? = nil) throws(InvalidValue) -> Double {
    let argument = try argument(index)
    guard !argument.isTruth, let number = argument.number ?? written(argument) else {
      throw invalid(index, part, "a number")
    }
    if case .float(let float) = argument { return float.asWritten }
    return number
  }

  /// A number within bounds.
  package func number(
    _ index: Int, _ part: String? = nil, in bounds: some RangeExpression<Double>, _ allowed: String
  ) throws(InvalidValue) -> Double {
    let number = try number(index, part)
    guard bounds.contains(number) else { throw invalid(index, part, allowed) }
    return number
  }

  package func integer(_ index: Int, _ part: String? = nil) throws(InvalidValue) -> Int {
    let argument = try argument(index)
    guard !argument.isTruth, let integer = argument.integer ?? written(argument).flatMap({ Int(exactly: $0) })
    else { throw invalid(index, part, "a whole number") }
    return integer
  }

  /// The number that a text is; nil for any other text.
  private func written(_ argument: OSCArgument) -> Double? {
    guard readsTexts, let text = argument.text, text.utf8.count <= 32 else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  package func integer(
    _ index: Int, _ part: String? = nil, in bounds: ClosedRange<Int>, _ allowed: String
  ) throws(InvalidValue) -> Int {
    let integer = try integer(index, part)
    guard bounds.contains(integer) else { throw invalid(index, part, allowed) }
    return integer
  }

  /// On or off: a number that is or isn't zero, true or false, or a word.
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

  package func text(_ index: Int) throws(InvalidValue) -> String {
    guard let text = try argument(index).text else { throw invalid(index, nil, "a text") }
    return text
  }

  /// One of an enumeration's names.
  package func choice<T: RawRepresentable<String> & CaseIterable>(
    or others: String...
  ) throws(InvalidValue) -> T {
    guard let value = T(rawValue: try text(0)) else {
      let names = (T.allCases.map(\.rawValue) + others).joined(separator: ", ")
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
