import Validation

/// One accent for each beat of a bar, as a user types it: `Xxox`.
package struct AccentPattern: Hashable, Sendable {
  /// In order of the beats; 1…9801 of them.
  package let accents: [Accent]

  /// The allowed texts, for messages.
  package static let allowed = "one of X (accent), x (beat), o (soft), . (silent) for each beat"

  /// Reads one letter for each beat.
  /// - Throws: `InvalidValue` if there are no letters, unknown letters, or more letters than a bar can have beats.
  package init(text: String) throws(InvalidValue) {
    let accents = text.compactMap(Accent.init)
    guard accents.count == text.count, 1...BarLayout.maximumBeats ~= accents.count else {
      throw InvalidValue("accents", quoted(text), allowed: AccentPattern.allowed)
    }
    self.accents = accents
  }

  /// An accent at the start of each group and plain beats between: the default pattern.
  init(groups: [Int]) {
    accents = groups.flatMap { [.accent] + Array(repeating: .beat, count: $0 - 1) }
  }
}

extension AccentPattern: CustomStringConvertible {
  package var description: String { String(accents.map(\.rawValue)) }
}
