/// One accent for each beat of a bar, as typed: `Xxox`.
public struct AccentPattern: Hashable, Sendable {
  public let accents: [Accent]

  static let allowed = "one of X (accent), x (beat), o (soft), . (silent) for each beat"

  /// Reads one letter for each beat.
  /// - Throws: `InvalidValue` for no letters, unknown ones, or more than a bar can have beats.
  public init(text: String) throws(InvalidValue) {
    let accents = text.compactMap(Accent.init)
    guard accents.count == text.count, 1...BarLayout.maximumBeats ~= accents.count else {
      throw InvalidValue("accents", quoted(text), allowed: AccentPattern.allowed)
    }
    self.accents = accents
  }

  /// An accent at the start of each group, plain beats between: what a bar sounds like where nothing else is said.
  init(groups: [Int]) {
    accents = groups.flatMap { [.accent] + Array(repeating: .beat, count: $0 - 1) }
  }
}

extension AccentPattern: CustomStringConvertible {
  public var description: String { String(accents.map(\.rawValue)) }
}
