/// A refused value, with its name and what would be accepted.
public struct InvalidValue: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the parameter as the user knows it ("tempo", "meter").
  public let name: String
  /// The refused value.
  public let value: String
  /// What would be accepted, as the end of "… must be …".
  public let allowed: String

  /// - Parameters:
  ///   - name: the name of the parameter, as the user knows it.
  ///   - value: the refused value, `quoted` if it comes from outside.
  ///   - allowed: the end of "… must be …".
  public init(_ name: String, _ value: String, allowed: String) {
    self.name = name
    self.value = value
    self.allowed = allowed
  }

  /// A refusal that has no value to name, as a whole sentence that says what to do.
  public init(sentence: String) { (name, value, allowed) = ("", "", sentence) }

  /// One printable line.
  public var description: String {
    printable(name.isEmpty ? allowed : "\(name) \(value): must be \(allowed)")
  }
}
