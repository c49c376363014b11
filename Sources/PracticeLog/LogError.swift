import Validation

/// Why the practice log can't be used, with the remedy, in one sentence.
package struct LogError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// There is no log yet.
    case missing
    /// The file is not a database, or is damaged.
    case damaged
    /// A newer version of Tactus has written it.
    case newer
    /// Other reasons: another program's file, a folder, a full disk, missing permissions.
    case unusable
  }

  package let kind: Kind
  /// One printable line.
  package let description: String

  init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    description = printable(sentence, limit: 8_192)
  }

  static let leftOut = LogError(.unusable, "no practice log: this Tactus was built without it")
}
