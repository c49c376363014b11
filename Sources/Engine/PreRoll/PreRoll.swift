import MusicTime

/// Counts whole bars before the music begins, in its tempo and pattern, wherever it begins.
///
/// In `free` the engine counts and then starts the music. On a transport it counts while it keeps the transport from
/// rolling: it reports that it is ready in the period before the one in which the transport is to roll. In both cases the
/// music begins on the exact frame.
struct PreRoll: BitwiseCopyable {
  private var hold = TransportHold()
  /// nil if nothing is counted.
  private var count: Count?
  /// Whether nothing is counted, and no transport has asked or waits. It is stored because each period reads it several times;
  /// `noteIdle` keeps it.
  /// - Thread: audio
  private(set) var isIdle = true
  /// Whether the start of a held transport has been reported.
  private var isReported = false
  /// How often the count has begun again because the leader reported another position, though the transport
  /// has not moved.
  private var restarts = 0

  @_noLocks
  init() {}

  /// The next clock frame at which it wants to act; `never` if there is none.
  /// - Thread: audio
  var nextFrame: ClockFrame {
    @_noLocks get {
      let beat = count?.nextBeat ?? .never
      return hold.holds ? beat : min(beat, end)
    }
  }

  /// Whether a transport waits for the pre-roll.
  /// - Thread: audio
  var holdsTransport: Bool { @_noLocks get { hold.holds } }

  /// Whether beats are counted.
  /// - Thread: audio
  var isCounting: Bool { @_noLocks get { count != nil } }

  /// Whether beats are counted before the engine starts the music.
  /// - Thread: audio
  var isCountingInFree: Bool { @_noLocks get { count.map { !$0.end.isOnTransport } ?? false } }

  /// The clock frame at which the music starts or the transport is to roll; `never` if nothing is counted.
  /// - Thread: audio
  var end: ClockFrame { @_noLocks get { count?.end.frame ?? .never } }

  // MARK: Beginning and ending

  /// Counts before the engine starts the music.
  /// - Parameters:
  ///   - entry: where the music begins.
  ///   - clock: the clock frame at which counting begins.
  /// - Returns: whether there is something to count.
  /// - Thread: audio
  @_noLocks
  mutating func begin(at entry: Playhead.Entry, clock: ClockFrame, _ playhead: borrowing Playhead) -> Bool {
    reset()
    count = Count(before: entry, at: clock, on: nil, playhead)
    noteIdle()
    return count != nil
  }

  @_noLocks
  private mutating func noteIdle() { isIdle = count == nil && hold.isIdle }

  /// Decides whether a transport may roll.
  /// - Parameters:
  ///   - wasRolling: whether the transport rolled before it started: then it has been moved, and needs no count.
  ///   - isOn: whether there may be something to count.
  ///   - isChangePending: whether this cycle makes a change, which may begin or end a pre-roll.
  ///   - next: the clock frame at which the transport would roll.
  ///   - frame: the transport's frame from which it would roll.
  /// - Returns: whether it may roll.
  /// - Thread: audio
  @_noLocks
  mutating func letsRoll(
    wasRolling: Bool, isOn: Bool, isChangePending: Bool, at next: ClockFrame, from frame: UInt32
  ) -> Bool {
    defer { noteIdle() }
    // The transport waits for one change, but not for the next ones. A change can't move the end of a count that ends now.
    if isChangePending, !wasRolling, !(isCounting && hold.holds), hold.waitOnce() { return false }
    guard !isCountingInFree else { return true }
    let wasReleased = hold.isReleased
    let mayRoll = hold.letsRoll(wasRolling: wasRolling, isOn: isOn, isDue: next >= end, from: frame)
    if wasReleased, !mayRoll { count = nil }
    return mayRoll
  }

  /// What changed in a cycle on a transport.
  enum Change: BitwiseCopyable {
    case none, begun, stopped
    /// The transport rolls.
    /// - Parameter isCounted: whether all beats until now have been counted.
    case rolled(isCounted: Bool)
    /// The transport must be asked to wait longer.
    case expiring
  }

  /// Begins a cycle: skips missed beats, counts if a transport waits, again if its place has changed, and ends if the transport
  /// rolls or has been stopped.
  /// - Parameter advance: frames by which the music precedes the transport, or will precede it.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, advance: Int64, _ playback: borrowing Playback) -> Change {
    defer { noteIdle() }
    switch hold.open(cycle, sampleRate: playback.score.pointee.sampleRate) {
    case .none:
      if let count, count.end.isOnTransport, !cycle.transport.isRolling { reset() }
      count?.skip(before: cycle.clock, playback.playhead)
      return .none
    case .ended: return end(cycle, advance: advance, playback)
    case .pass, .moved:
      count = nil
      restarts = 0
      return .none
    case .count: return count(cycle, advance: advance, playback)
    case .wait: return wait(cycle, advance: advance, playback)
    }
  }

  /// Counts for a transport that waits, or lets it pass.
  @_noLocks
  private mutating func count(_ cycle: Cycle, advance: Int64, _ playback: borrowing Playback) -> Change {
    let entry = playback.playhead.lineEntry(at: playback.timeline.nextFrame)
    let wasReported = isReported
    let cycles = CountEnd.Cycles(cycle, advance: advance)
    count = Count(before: entry, at: cycle.clock, on: cycles, playback.playhead)
    isReported = count != nil
    guard isReported else {
      hold.pass()
      return wasReported ? .stopped : .none
    }
    hold.wait()
    return wasReported ? .none : .begun
  }

  /// Goes on counting for a transport that waits.
  @_noLocks
  private mutating func wait(_ cycle: Cycle, advance: Int64, _ playback: borrowing Playback) -> Change {
    guard !hold.isReleased else {
      count?.rollNext(cycle, playback.playhead)
      count?.skip(before: cycle.clock, playback.playhead)
      return .none
    }
    let here = playback.playhead.lineEntry(at: playback.timeline.nextFrame)
    // A leader whose place moves while the transport stands must not hold it for ever.
    if restarts < 4, count?.targets(here, playback.playhead) != true {
      restarts += 1
      let change = count(cycle, advance: advance, playback)
      guard case .none = change else { return change }
    } else if count?.followPace(at: cycle.clock, playback.playhead) == false {
      return count(cycle, advance: advance, playback)
    }
    let cycles = CountEnd.Cycles(cycle, advance: advance)
    if count?.follow(cycles, playback.playhead) == true { hold.hasten(at: cycle.clock) }
    count?.skip(before: cycle.clock, playback.playhead)
    let rate = playback.score.pointee.sampleRate
    return hold.isExpiring(at: cycle.clock, end: end, sampleRate: rate) ? .expiring : .none
  }

  /// Ends because the transport rolls or has been stopped.
  @_noLocks
  private mutating func end(_ cycle: Cycle, advance: Int64, _ playback: borrowing Playback) -> Change {
    let (wasReported, count) = (isReported, count)
    reset()
    guard wasReported else { return .none }
    guard cycle.transport.isRolling else { return .stopped }
    guard var count, count.end.frame == cycle.clock, advance <= count.end.advance else {
      return .rolled(isCounted: false)
    }
    // Music that follows the transport begins later, and the beats until then are still counted.
    if count.end.advance < 0, playback.nextOnset != .never {
      count.prolong(to: playback.nextOnset - 1, playback.playhead)
      self.count = count
    }
    return .rolled(isCounted: true)
  }

  /// Ends the pre-roll.
  /// - Thread: audio
  @_noLocks
  mutating func reset() { self = PreRoll() }

  /// Ends the pre-roll because the role changes. In another role on the transport it is counted again.
  /// - Thread: audio
  @_noLocks
  mutating func changeRole() {
    let hold = TransportHold(continuing: hold)
    reset()
    self.hold = hold
    noteIdle()
  }

  /// Ends what is counted for a transport, because cycles pass in which nothing plays. If the transport still waits, it is counted
  /// for again afterwards, and the transport is asked at once to wait longer, since its cycles have another length.
  /// - Returns: whether its start has been reported.
  /// - Thread: audio
  @_noLocks
  mutating func interrupt(_ cycle: Cycle) -> Bool {
    guard !isIdle, !isCountingInFree else { return false }
    let (wasReported, hold) = (isReported, hold)
    reset()
    if cycle.transport.isStarting {
      self.hold = TransportHold(continuing: hold)
      self.hold.hasten(at: cycle.clock)
      noteIdle()
    }
    return wasReported
  }

  // MARK: Changes during the count

  /// Continues counting in another score. The count keeps its place, and the rest has the new tempo and beats. In another piece
  /// or meter it begins again.
  /// - Parameters:
  ///   - clock: the clock frame of the change.
  ///   - playhead: still with the previous score.
  /// - Returns: whether the engine must begin a new count, when it has adopted the score.
  /// - Thread: audio
  @_noLocks
  mutating func adopt(
    _ next: UnsafePointer<Score>, at clock: ClockFrame, _ playhead: borrowing Playhead
  ) -> Bool {
    guard count != nil else { return false }
    defer { noteIdle() }
    // The transport rolls already, and the next beats would come from different scores.
    guard hold.holds || isCountingInFree else {
      reset()
      return false
    }
    if count?.adopt(next, at: clock, mayMove: !hold.isReleased, playhead) == true { return false }
    guard hold.holds else {
      reset()
      return true
    }
    // A transport that has been allowed to roll gets no further beats.
    if hold.isReleased { hold.pass() } else { hold.ask() }
    count = nil
    return false
  }

  /// The beat that is due at or before a clock frame; nil if none is. Goes on to the next.
  /// - Thread: audio
  @_noLocks
  mutating func take(dueAt clock: ClockFrame, _ playhead: borrowing Playhead) -> Count.Beat? {
    count?.take(dueAt: clock, playhead)
  }
}
