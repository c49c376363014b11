/// How a timebase leader that contradicts itself counts.
struct LeaderHabit: BitwiseCopyable {
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

  /// Whether both are equal, the ratio to within `LeaderHabits.precision`.
  @_noLocks
  fileprivate func isLike(_ other: LeaderHabit) -> Bool {
    let difference = ratio - other.ratio
    let margin = LeaderHabits.precision * ratio
    return difference < margin && difference > -margin && beatEnd == other.beatEnd
      && barBeats == other.barBeats
  }
}

/// Remembers the bars at which a leader's counting changed, so that it is known at once when they play again in a loop or
/// after a locate.
struct LeaderHabits: BitwiseCopyable {
  /// The largest relative difference of two measurements of one tempo.
  /// - Thread: audio
  static var precision: Double { @_noLocks get { 0.005 } }
  /// The maximum number of changes that are remembered.
  private static var limit: Int { @_noLocks get { 64 } }

  private struct Change: BitwiseCopyable {
    var bar = 1
    var habit = LeaderHabit()

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
  mutating func find(_ bar: Int) -> LeaderHabit? {
    guard count > 0 else { return nil }
    seek(bar)
    return changes[current].bar <= bar ? changes[current].habit : LeaderHabit()
  }

  /// How the leader counts from this bar on, if its counting changed here when the bar last played; otherwise nil.
  /// - Thread: audio
  @_noLocks
  mutating func change(at bar: Int) -> LeaderHabit? {
    seek(bar)
    return count > 0 && changes[current].bar == bar ? changes[current].habit : nil
  }

  /// Remembers how the leader counts from a bar on.
  /// - Thread: audio
  @_noLocks
  mutating func note(_ habit: LeaderHabit, from bar: Int) {
    seek(bar)
    if count > 0, changes[current].bar <= bar {
      var known = changes[current].habit
      // A bar's beats are known at its end.
      if known.barBeats == 0 { known.barBeats = habit.barBeats }
      if habit.barBeats == 0, changes[current].bar < bar { known.barBeats = 0 }
      if changes[current].bar == bar || known.isLike(habit) {
        let beats = changes[current].habit.barBeats
        changes[current].habit = habit
        if habit.barBeats == 0, changes[current].bar < bar { changes[current].habit.barBeats = beats }
        return
      }
    }
    guard count < LeaderHabits.limit else { return }
    let place = count > 0 && changes[current].bar <= bar ? current + 1 : 0
    var index = count
    while index > place {
      changes[index] = changes[index - 1]
      index -= 1
    }
    (changes[place].bar, changes[place].habit) = (bar, habit)
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
