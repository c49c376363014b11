/// What is wrong at one place of a file, and what would be right.
public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's path, as it was given.
  public let file: String
  /// From 1.
  public let line: Int
  /// In characters of Unicode, from 1.
  public let column: Int
  /// The value that is wrong, and whose it is: `tempo '5000'`.
  public let what: String
  /// What would be accepted, as the end of "… must be …".
  public let allowed: String

  public init(file: String, line: Int, column: Int, what: String, allowed: String) {
    self.file = file
    self.line = line
    self.column = column
    self.what = what
    self.allowed = allowed
  }

  /// One line, in the form that editors jump to.
  public var description: String { "\(file):\(line):\(column): \(what): must be \(allowed)" }
}

/// Everything that is wrong with a document, in the order of its text; never empty.
public struct Faults: Error, Sendable, CustomStringConvertible {
  public let faults: [Fault]

  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
