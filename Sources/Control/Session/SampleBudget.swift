import Engine

/// Limits the memory of a song's sounds and spoken texts, so that no document can exhaust it.
struct SampleBudget {
  /// Bytes of samples: eleven minutes at 48 kHz.
  static let limit = 128_000_000
  /// Number of different spoken texts. Speaking each starts a process.
  static let texts = 500

  private var bytes = 0
  private var clips: Set<ObjectIdentifier> = []

  /// Adds a sound set.
  /// - Returns: false, with nothing added, if there is no room.
  mutating func take(_ set: ClipSet) -> Bool { take(set.all) }

  /// Adds a spoken text.
  /// - Returns: false, with nothing added, if there is no room.
  mutating func take(_ clip: Clip) -> Bool { take([clip]) }

  private mutating func take(_ wanted: [Clip]) -> Bool {
    var (bytes, clips) = (bytes, clips)
    for clip in wanted where clips.insert(ObjectIdentifier(clip)).inserted {
      bytes += clip.samples.count * MemoryLayout<Float>.stride
    }
    guard bytes <= SampleBudget.limit else { return false }
    (self.bytes, self.clips) = (bytes, clips)
    return true
  }
}
