import Validation

/// An error at one place of a file.
package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's path as the user gave it.
  package let file: String
  /// From 1.
  package let line: Int
  /// In Unicode characters, from 1.
  package let column: Int
  /// The invalid value and its name: `tempo '5000'`.
  package let what: String
  /// What would be accepted, as the end of "… must be …".
  package let allowed: String

  package init(file: String, line: Int, column: Int, what: String, allowed: String) {
    self.file = file
    self.line = line
    self.column = column
    self.what = what
    self.allowed = allowed
  }

  /// One printable line, in the format that editors recognise.
  package var description: String { "\(place): \(printable(what)): must be \(printable(allowed))" }

  /// The file, line and column, printable.
  package var place: String { "\(printable(file, limit: 4_096)):\(line):\(column)" }
}

/// All faults of a document, in the order of its text; never empty.
package struct Faults: GuardedError, Sendable {
  /// The maximum number of faults in a description.
  private static let listed = 5
  /// The maximum number of faults in an outline.
  private static let outlined = 3

  /// In the order of the text; at least one.
  package let faults: [Fault]

  /// One line for each of the first `listed` faults, and a line with the number of the others.
  package var description: String {
    let lines = faults.prefix(Faults.listed).map(\.description)
    return (lines + (others(Faults.listed).map { ["\($0): tactus check lists all"] } ?? [])).joined(
      separator: "\n")
  }

  /// The places of the first faults and what would be accepted, without any text of the document or its path.
  package var outline: String {
    let places = faults.prefix(Faults.outlined).map {
      "line \($0.line), column \($0.column): must be \(printable($0.allowed, limit: 200))"
    }
    return "the document can't be played: "
      + (places + (others(Faults.outlined).map { [$0] } ?? [])).joined(separator: "; ")
  }

  private func others(_ listed: Int) -> String? {
    faults.count > listed ? "and \(faults.count - listed) more" : nil
  }
}
