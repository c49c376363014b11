import MusicTime

/// When a count ends: in `free` on the frame on which the music begins, on a transport at the start of a cycle, in which the
/// transport rolls. It knows no beats.
///
/// The music begins on a whole frame, or with a whole cycle, and may thus be late. Changes are computed from the time at which
/// it would begin otherwise, so that no delay accumulates.
struct CountEnd: BitwiseCopyable {
  /// The cycles of a transport, at whose starts it can roll.
  struct Cycles: BitwiseCopyable {
    /// The frame at which one of them begins.
    let start: ClockFrame
    /// Their length in frames, 1 or more.
    let period: Int64
    /// Frames by which the music precedes the transport; negative if it follows.
    fileprivate(set) var advance: Int64

    /// - Thread: audio
    @_noLocks
    init(_ cycle: Cycle, advance: Int64) {
      (start, period, self.advance) = (cycle.clock, Int64(max(cycle.frames, 1)), advance)
    }

    /// The first start of a cycle that is not before a frame.
    @_noLocks
    fileprivate func start(from frame: ClockFrame) -> ClockFrame {
      let rest = (frame - start) % period
      return rest > 0 ? frame + (period - rest) : frame - rest
    }
  }

  /// How far the position at which the music begins lies before a whole frame.
  private let ahead: FrameDuration
  /// When the music would begin if it could begin at any time.
  private(set) var target: ClockTime
  /// The clock frame at which the music starts, or the transport rolls.
  private(set) var frame: ClockFrame
  /// nil in `free`.
  private var cycles: Cycles?

  /// - Parameters:
  ///   - target: the end of the count without any delay.
  ///   - ahead: how far the position at which the music begins lies before a whole frame.
  ///   - cycles: of the transport, the present one as their start; nil in `free`.
  /// - Thread: audio
  @_noLocks
  init(_ target: ClockTime, ahead: FrameDuration, on cycles: Cycles?) {
    (self.target, self.ahead, self.cycles) = (target, ahead, cycles)
    frame = (target + ahead).frameRoundedUp
    if let cycles { put(target, on: cycles, at: cycles.start) }
  }

  /// Whether a transport waits for this end.
  /// - Thread: audio
  var isOnTransport: Bool { @_noLocks get { cycles != nil } }

  /// Frames by which the music precedes the transport.
  /// - Thread: audio
  var advance: Int64 { @_noLocks get { cycles?.advance ?? 0 } }

  /// The exact time of the position at which the music begins.
  /// - Thread: audio
  var entryTime: ClockTime { @_noLocks get { ClockTime(frame: frame - advance) - ahead } }

  /// Whether the transport can roll at this end.
  /// - Thread: audio
  @_noLocks
  func isOn(_ other: Cycles) -> Bool {
    guard let cycles else { return true }
    return cycles.period == other.period && cycles.advance == other.advance
      && (frame - other.start) % other.period == 0
  }

  /// Whether it was planned for longer cycles.
  /// - Thread: audio
  @_noLocks
  func hasLongerPeriod(than other: Cycles) -> Bool { cycles.map { $0.period > other.period } ?? false }

  /// The earliest time at which the music may begin after a change.
  /// - Parameters:
  ///   - begin: when it begins if the count goes on without a break.
  ///   - wait: until the next beat. The music catches up by at most half of it; otherwise the next beat would
  ///     follow the last too soon.
  @_noLocks
  private static func earliest(_ target: ClockTime, _ begin: ClockTime, wait: FrameDuration) -> ClockTime {
    let earliest = begin - FrameDuration(raw: max(wait.raw, 0) / 2)
    return earliest - target > .zero ? earliest : target
  }

  /// Notes a new target. The end stays.
  /// - Thread: audio
  @_noLocks
  mutating func aim(at target: ClockTime) { self.target = target }

  /// Notes a new target, and moves the end if the rest of the count has another duration.
  /// - Parameters:
  ///   - begin: when the music begins if the count goes on without a break.
  ///   - target: when it would begin if it could begin at any time.
  ///   - wait: from now to the next beat.
  ///   - clock: the present clock frame.
  /// - Thread: audio
  @_noLocks
  mutating func move(toBegin begin: ClockTime, target: ClockTime, wait: FrameDuration, at clock: ClockFrame) {
    // If the times are the same, all frames stay. A transport moves the end by whole cycles.
    let least = isOnTransport ? FrameDuration(wholeFrames: 1) : FrameDuration(raw: 1 << 48)
    let entryTime = entryTime
    self.target = target
    guard (begin - entryTime).magnitude > least || target - entryTime > least else { return }
    guard let cycles else {
      frame = (target + ahead).frameRoundedUp
      return
    }
    put(CountEnd.earliest(target, begin, wait: wait), on: cycles, at: clock)
    forgive(2 * cycles.period)
  }

  /// Moves the end to cycles of another length, or with another latency. A delay of more than a period is made up for.
  /// - Parameters:
  ///   - cycles: the present one as their start.
  ///   - wait: from now to the next beat.
  /// - Thread: audio
  @_noLocks
  mutating func move(to cycles: Cycles, wait: FrameDuration) {
    let period = max(self.cycles?.period ?? 0, cycles.period)
    let begin = entryTime
    let goal = min(begin - target, FrameDuration(wholeFrames: period))
    self.cycles = cycles
    put(CountEnd.earliest(target + max(goal, .zero), begin, wait: wait), on: cycles, at: cycles.start)
    forgive(2 * period)
  }

  /// Moves the end to the start of the next cycle, because the transport has been allowed to roll there.
  /// - Parameter next: that clock frame.
  /// - Thread: audio
  @_noLocks
  mutating func move(to next: ClockFrame) { frame = next }

  /// Counts until a later frame, after the transport has rolled. The music begins at the same time.
  /// - Thread: audio
  @_noLocks
  mutating func prolong(to later: ClockFrame) {
    cycles?.advance += later - frame
    frame = later
  }

  /// In this cycle the transport has been asked already whether it may roll, so it does not roll in the next one.
  @_noLocks
  private mutating func put(_ time: ClockTime, on cycles: Cycles, at clock: ClockFrame) {
    let roll = (time + ahead).frameRoundedUp + cycles.advance
    frame = cycles.start(from: max(roll, clock + cycles.period + 1))
  }

  /// A longer delay is not made up for.
  @_noLocks
  private mutating func forgive(_ frames: Int64) {
    let earliest = entryTime - FrameDuration(wholeFrames: frames)
    if earliest - target > .zero { target = earliest }
  }
}
