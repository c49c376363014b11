/// A value that was refused: what it was for, what it was, and what would be right.
public struct InvalidValue: Error, Equatable, Sendable, CustomStringConvertible {
  /// What the value is for, as the user names it ("tempo", "meter").
  public let name: String
  /// The value as it was given.
  public let value: String
  /// What would be accepted, as the end of "… must be …".
  public let allowed: String

  public init(_ name: String, _ value: String, allowed: String) {
    self.name = name
    self.value = value
    self.allowed = allowed
  }

  public var description: String { "\(name) \(value): must be \(allowed)" }
}
