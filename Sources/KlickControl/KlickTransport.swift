/// Whether klick's metronome is on.
struct KlickTransport {
  private(set) var isActive = false
  /// What the conductor has been asked for and has not done yet.
  private var wanted: Bool?

  /// Shows at once what the conductor has not been asked for.
  mutating func show(_ isActive: Bool) { self.isActive = isActive }

  /// Notes what the conductor is asked for.
  mutating func ask(for isActive: Bool) { wanted = isActive }

  /// Takes over whether the conductor plays.
  /// - Returns: what the metronome is to become; nil if it is that already.
  mutating func adopt(isPlaying: Bool) -> Bool? {
    if wanted == isPlaying { wanted = nil }
    let isActive = wanted ?? isPlaying
    return isActive == self.isActive ? nil : isActive
  }
}
