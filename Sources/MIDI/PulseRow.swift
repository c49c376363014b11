/// Distinguishes a tempo change from drop-outs: after a change, a row of intervals are all longer or all shorter than
/// the period and the jitter allow, and similar to each other.
struct PulseRow: BitwiseCopyable {
  /// The number of intervals in a complete row.
  private static let length = 4

  /// The frames of the last pulses, the newest last.
  private var times = InlineArray<5, Double>(repeating: 0)
  /// The number of intervals in the row; negative if they are shorter than the period.
  private var count: Int64 = 0
  /// The ticks counted during these intervals.
  private var ticks: Int64 = 0

  @_noLocks
  init() {}

  /// The newest pulse's frame.
  var last: Double { @_noLocks get { times[4] } }

  /// Whether the tempo may have changed.
  var isDoubtful: Bool { @_noLocks get { count >= 2 || count <= -2 } }

  /// The row's pulses minus the ticks counted in it.
  var lack: Int64 { @_noLocks get { (count < 0 ? -count : count) - ticks } }

  /// Starts a row with a pulse.
  @_noLocks
  mutating func begin(at time: Double) {
    for index in 0..<5 { times[index] = time }
    clear()
  }

  @_noLocks
  mutating func clear() { (count, ticks) = (0, 0) }

  @_noLocks
  mutating func append(_ time: Double) {
    for index in 0..<4 { times[index] = times[index + 1] }
    times[4] = time
  }

  /// Converts to another length of a frame: the distances from one time change.
  /// - Parameter ratio: the new sample rate divided by the old one.
  @_noLocks
  mutating func scale(by ratio: Double, around time: Double) {
    for index in 0..<5 { times[index] = time + (times[index] - time) * ratio }
  }

  /// Compares the newest interval with the period.
  /// - Parameters:
  ///   - deviation: the jitter's standard deviation in frames, or its upper bound.
  ///   - passed: the ticks counted in the interval.
  /// - Returns: whether the row is complete.
  @_noLocks
  mutating func judge(period: Double, deviation: Double, passed: Int64) -> Bool {
    let tolerance = 2.5 * deviation + 1
    let interval = times[4] - times[3]
    let side: Int64 = interval > period + tolerance ? 1 : interval < period - tolerance ? -1 : 0
    if side == 0 || count * side < 0 { clear() }
    guard side != 0 else { return false }
    (count, ticks) = (count + side, ticks + passed)
    guard count * side >= Int64(PulseRow.length) else { return false }
    var (shortest, longest) = (interval, interval)
    for index in 1..<4 {
      shortest = min(shortest, times[index] - times[index - 1])
      longest = max(longest, times[index] - times[index - 1])
    }
    return longest - shortest < 7 * deviation + 2
  }

  /// The least-squares line through the last five pulses: its time at the newest pulse, and its slope.
  var line: (tick: Double, period: Double) {
    @_noLocks get {
      let slope = (2 * (times[4] - times[0]) + times[3] - times[1]) / 10
      return ((times[0] + times[1] + times[2] + times[3] + times[4]) / 5 + 2 * slope, slope)
    }
  }
}
