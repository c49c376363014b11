import Engine

/// How much the bars of a programme's dated changes may take together. A bar commonly has some hundred bytes, and the largest
/// has megabytes; the engine may have three programmes at a time.
struct SectionBudget {
  /// Bytes.
  static let limit = 32_000_000

  private var bytes = 0
  private var known: Set<ObjectIdentifier> = []

  /// Adds sections, each of them once.
  /// - Returns: whether all are within the limit.
  mutating func take(_ sections: [Score.Sections]) -> Bool {
    for sections in sections where known.insert(ObjectIdentifier(sections)).inserted {
      bytes += sections.bytes
    }
    return bytes <= SectionBudget.limit
  }
}
