import Control
import MusicTime

/// One address of the namespace: what it takes, what it does, and what it says of itself.
struct Endpoint: Sendable {
  /// Below `/tactus/`.
  let name: String
  /// The type tags that it takes, as people write them.
  let types: String
  let range: String
  let standard: String
  let summary: String
  let action: Action
  /// The value as things stand, which a query answers and subscribers get; nil where it has none.
  let value: (@Sendable (Snapshot) -> [OSCArgument])?

  enum Action: Sendable {
    /// Makes an update of arguments, of which there is at least one.
    case set(@Sendable (OSCArguments) throws(InvalidValue) -> Update)
    /// Does something when it is triggered: without arguments, or with one that isn't zero.
    case trigger(Update)
    /// Takes arguments or none.
    case call(@Sendable (OSCArguments) throws(InvalidValue) -> Update?)
    case ping, query, subscribe, unsubscribe
    /// Can only be read.
    case read
  }

  var address: String { AddressSpace.root + name }

  init(
    _ name: String, _ types: String, _ range: String = "", standard: String = "", _ summary: String,
    _ action: Action, value: (@Sendable (Snapshot) -> [OSCArgument])? = nil
  ) {
    self.name = name
    self.types = types
    self.range = range
    self.standard = standard
    self.summary = summary
    self.action = action
    self.value = value
  }
}

/// The arguments of one message, read one after the other.
struct OSCArguments {
  let arguments: [OSCArgument]

  var count: Int { arguments.count }

  /// - Throws: `InvalidValue` where the number of arguments is not among those.
  func require(_ counts: ClosedRange<Int>, _ name: String, _ types: String) throws(InvalidValue) {
    guard counts.contains(count) else {
      let given = count == 0 ? "nothing" : arguments.map(\.description).joined(separator: " ")
      throw InvalidValue(name, "'\(given)'", allowed: "given as \(types)")
    }
  }

  func number(_ index: Int, _ name: String) throws(InvalidValue) -> Double {
    guard let number = arguments[index].number else {
      throw InvalidValue(name, "'\(arguments[index])'", allowed: "a number")
    }
    return number
  }

  func integer(_ index: Int, _ name: String) throws(InvalidValue) -> Int {
    guard let integer = arguments[index].integer else {
      throw InvalidValue(name, "'\(arguments[index])'", allowed: "a whole number")
    }
    return integer
  }

  func text(_ index: Int, _ name: String) throws(InvalidValue) -> String {
    guard let text = arguments[index].text else {
      throw InvalidValue(name, "'\(arguments[index])'", allowed: "a text")
    }
    return text
  }

  /// One of an enumeration's names.
  func choice<T: RawRepresentable<String> & CaseIterable>(_ name: String) throws(InvalidValue) -> T {
    let text = try text(0, name)
    guard let value = T(rawValue: text) else {
      let names = T.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidValue(name, quoted(text), allowed: "one of \(names)")
    }
    return value
  }
}
