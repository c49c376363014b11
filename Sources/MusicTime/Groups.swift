import Validation

/// An additive grouping of a bar's beats: `3+2+2`. Each group starts with an accent.
package struct Groups: Hashable, Sendable {
  /// Beats in each group, at least 1.
  package let sizes: [Int]

  /// The allowed texts, for messages.
  package static let allowed = "beats in each group, as in 3+2+2"

  /// Reads `3+2+2`.
  /// - Throws: `InvalidValue` if the text has another form, a group is empty, or there are more beats than a bar can have.
  package init(text: String) throws(InvalidValue) {
    let sizes = text.split(separator: "+", omittingEmptySubsequences: false).map {
      plainInteger($0.utf8) ?? 0
    }
    guard sizes.allSatisfy({ 1...BarLayout.maximumBeats ~= $0 }), sizes.count <= BarLayout.maximumBeats else {
      throw InvalidValue("groups", quoted(text), allowed: Groups.allowed)
    }
    self.sizes = sizes
  }

  /// The total number of beats.
  package var beats: Int { sizes.reduce(0, +) }
}

extension Groups: CustomStringConvertible {
  package var description: String { sizes.map(String.init).joined(separator: "+") }
}
