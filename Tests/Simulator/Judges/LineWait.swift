/// The changes that may wait for a beat or bar line.
struct LineWait {
  /// Nanoseconds for which a change may wait for its line.
  private(set) var longest: UInt64 = 0
  /// Nanoseconds of the longest bar that may still play while changes are pending.
  private var longestBar: UInt64 = 0
  /// Until when the last change may be pending, if it waits for no line.
  private var changesUntil: UInt64 = 0
  /// Since when, and until when at most, a change may wait for its line.
  private(set) var range: (since: UInt64, until: UInt64) = (0, 0)

  /// Whether changes wait for a line at all.
  var isOn: Bool { longest > 0 }

  /// Notes a change of the music.
  /// - Parameters:
  ///   - waits: whether it waits for a line.
  ///   - bars: nanoseconds of a bar before and after the change.
  ///   - now: when it was reported.
  ///   - settle: nanoseconds for which it may be pending without a line.
  mutating func note(waits: Bool, bars: (UInt64, UInt64), at now: UInt64, settle: UInt64) {
    // The bar that plays is the one before the first change that waits.
    if now >= max(range.until, changesUntil) { longestBar = 0 }
    longestBar = max(longestBar, bars.0, bars.1)
    changesUntil = now + settle
    longest = waits ? longestBar : 0
  }

  /// Notes that a change waits for its line from a time on.
  mutating func begin(at time: UInt64, for duration: UInt64) {
    if time > range.until { range.since = time }
    range.until = max(range.until, time + duration)
  }

  /// Notes that the music may be moved: a change that waits then waits for the next line from there.
  /// - Returns: nanoseconds for which the movement and the change may be pending.
  mutating func move(at time: UInt64, for duration: UInt64) -> UInt64 {
    guard time < range.until else { return duration }
    range.until = max(range.until, time + duration + longest)
    return duration + longest
  }

  /// Notes that nothing waits.
  mutating func forget() { range = (0, 0) }
}
