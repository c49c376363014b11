/// How a timebase leader that contradicts itself counts.
struct LeaderCounting: BitwiseCopyable {
  /// Counted beats for each declared one.
  /// - Thread: audio
  var ratio = 1.0
  /// The part of the declared ticks after which the next beat comes.
  /// - Thread: audio
  var beatEnd = 1.0
  /// Counted beats in a bar; 0 while they are unknown.
  /// - Thread: audio
  var barBeats = 0

  @_noLocks
  init() {}

  @_noLocks
  init(ratio: Double, beatEnd: Double, barBeats: Int) {
    (self.ratio, self.beatEnd, self.barBeats) = (ratio, beatEnd, barBeats)
  }

  /// Whether both are equal, the ratio to within `LeaderCountingHistory.precision`.
  @_noLocks
  fileprivate func isLike(_ other: LeaderCounting) -> Bool {
    let difference = ratio - other.ratio
    let margin = LeaderCountingHistory.precision * ratio
    return difference < margin && difference > -margin && beatEnd == other.beatEnd
      && barBeats == other.barBeats
  }
}

/// Remembers the bars at which a leader's counting changed, so that it is known at once when they play again in a loop or
/// after a locate.
struct LeaderCountingHistory: BitwiseCopyable {
  /// The largest relative difference of two measurements of one tempo.
  /// - Thread: audio
  static var precision: Double { @_noLocks get { 0.005 } }
  /// The maximum number of changes that are remembered.
  private static var limit: Int { @_noLocks get { 64 } }

  private struct Change: BitwiseCopyable {
    var bar = 1
    var counting = LeaderCounting()

    @_noLocks
    init() {}
  }

  /// In the order of their bars.
  private var changes = InlineArray<64, Change>(repeating: Change())
  private var count = 0
  /// The index of the change that applies at the last bar that was noted or found.
  private var current = 0

  @_noLocks
  init() {}

  /// How the leader counted at a bar when it last played: as declared before the first known bar; nil if no bar is known.
  /// Mutating only because it stores where to search next.
  /// - Thread: audio
  @_noLocks
  mutating func find(_ bar: Int) -> LeaderCounting? {
    guard count > 0 else { return nil }
    seek(bar)
    return changes[current].bar <= bar ? changes[current].counting : LeaderCounting()
  }

  /// How the leader counts from this bar on, if its counting changed here when the bar last played; otherwise nil.
  /// - Thread: audio
  @_noLocks
  mutating func change(at bar: Int) -> LeaderCounting? {
    seek(bar)
    return count > 0 && changes[current].bar == bar ? changes[current].counting : nil
  }

  /// Remembers how the leader counts from a bar on.
  /// - Thread: audio
  @_noLocks
  mutating func note(_ counting: LeaderCounting, from bar: Int) {
    seek(bar)
    if count > 0, changes[current].bar <= bar {
      var known = changes[current].counting
      // A bar's beats are known at its end.
      if known.barBeats == 0 { known.barBeats = counting.barBeats }
      if counting.barBeats == 0, changes[current].bar < bar { known.barBeats = 0 }
      if changes[current].bar == bar || known.isLike(counting) {
        let beats = changes[current].counting.barBeats
        changes[current].counting = counting
        if counting.barBeats == 0, changes[current].bar < bar { changes[current].counting.barBeats = beats }
        return
      }
    }
    guard count < LeaderCountingHistory.limit else { return }
    let place = count > 0 && changes[current].bar <= bar ? current + 1 : 0
    var index = count
    while index > place {
      changes[index] = changes[index - 1]
      index -= 1
    }
    (changes[place].bar, changes[place].counting) = (bar, counting)
    count += 1
    current = place
  }

  /// Goes to the last change at a bar or before, or else to the first.
  @_noLocks
  private mutating func seek(_ bar: Int) {
    while current + 1 < count, changes[current + 1].bar <= bar { current += 1 }
    while current > 0, changes[current].bar > bar { current -= 1 }
  }
}
