/// Whether klick's metronome is on.
struct KlickTransport {
  private(set) var isActive = false
  /// The state that was requested from the conductor and is not reached yet; nil if none.
  private var wanted: Bool?

  /// Sets the state without a request to the conductor.
  mutating func show(_ isActive: Bool) { self.isActive = isActive }

  /// Records a request to the conductor.
  mutating func ask(for isActive: Bool) { wanted = isActive }

  /// Adopts whether the conductor plays.
  /// - Returns: the new state for `show`; nil if it is unchanged.
  mutating func adopt(isPlaying: Bool) -> Bool? {
    if wanted == isPlaying { wanted = nil }
    let isActive = wanted ?? isPlaying
    return isActive == self.isActive ? nil : isActive
  }
}
