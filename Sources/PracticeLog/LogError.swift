import Validation

/// Why the practice log can't be used: one sentence, with what to do.
package struct LogError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// Nothing was kept yet.
    case missing
    /// The file is no database, or one that is broken.
    case damaged
    /// A newer Tactus has written it.
    case newer
    /// All else: another program's, a folder, a full disk, no rights.
    case unusable
  }

  package let kind: Kind
  package let description: String

  init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    description = printable(sentence, limit: 8_192)
  }

  static let leftOut = LogError(.unusable, "no practice log: this Tactus was built without it")
}
