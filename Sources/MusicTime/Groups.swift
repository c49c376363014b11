/// An additive grouping of a bar's beats: `3+2+2`. Each group starts with an accent.
public struct Groups: Hashable, Sendable {
  /// Beats in each group, each at least one.
  public let sizes: [Int]

  static let allowed = "beats in each group, as in 3+2+2"

  /// Reads `3+2+2`.
  /// - Throws: `InvalidValue` for any other form, an empty group, or more beats than a bar can have.
  public init(text: String) throws(InvalidValue) {
    let sizes = text.split(separator: "+", omittingEmptySubsequences: false).map { plainInteger($0) ?? 0 }
    guard sizes.allSatisfy({ 1...BarLayout.maximumBeats ~= $0 }), sizes.count <= BarLayout.maximumBeats else {
      throw InvalidValue("groups", quoted(text), allowed: Groups.allowed)
    }
    self.sizes = sizes
  }

  /// Beats in all groups together.
  public var beats: Int { sizes.reduce(0, +) }
}

extension Groups: CustomStringConvertible {
  public var description: String { sizes.map(String.init).joined(separator: "+") }
}
