import Engine

/// Limits the memory of the sections in one update's scheduled changes. A bar usually takes a few hundred bytes, but the largest
/// takes megabytes, and the engine may hold three updates at a time.
struct SectionBudget {
  /// In bytes.
  static let limit = 32_000_000

  private var bytes = 0
  private var known: Set<ObjectIdentifier> = []

  /// Adds sections; the same ones count once.
  /// - Returns: whether all together are within the limit.
  mutating func take(_ sections: [Score.Sections]) -> Bool {
    for sections in sections where known.insert(ObjectIdentifier(sections)).inserted {
      bytes += sections.bytes
    }
    return bytes <= SectionBudget.limit
  }
}
