/// A refused value, with its name and what would be accepted.
package struct InvalidValue: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the parameter as the user knows it ("tempo", "meter").
  package let name: String
  /// The refused value.
  package let value: String
  /// What would be accepted, as the end of "… must be …".
  package let allowed: String

  /// - Parameters:
  ///   - name: the name of the parameter, as the user knows it.
  ///   - value: the refused value, `quoted` if it comes from outside.
  ///   - allowed: the end of "… must be …".
  package init(_ name: String, _ value: String, allowed: String) {
    self.name = name
    self.value = value
    self.allowed = allowed
  }

  /// A refusal without a value. The sentence is the whole message, and says what to do.
  package init(sentence: String) { (name, value, allowed) = ("", "", sentence) }

  /// One printable line.
  package var description: String {
    printable(name.isEmpty ? allowed : "\(name) \(value): must be \(allowed)")
  }
}

/// Replaces the decimal comma of a number by a point: `92.5` for `92,5`; nil for any other text.
package func withDecimalPoint(_ text: some StringProtocol) -> String? {
  let parts = text.split(separator: ",", omittingEmptySubsequences: false)
  guard text.utf8.count <= 16, parts.count == 2,
    parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { "0"..."9" ~= $0 } })
  else { return nil }
  return parts.joined(separator: ".")
}

/// An error whose description may quote a file or reveal which files exist. Only the user's own terminal shows the
/// description; network clients receive the outline.
package protocol GuardedError: Error, CustomStringConvertible {
  /// The text for network clients: one printable line of bounded length.
  var outline: String { get }
}

extension Error {
  /// The text of an error for network clients.
  package var publicText: String { (self as? any GuardedError)?.outline ?? "\(self)" }
}
