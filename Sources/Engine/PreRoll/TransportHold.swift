import MusicTime

/// Keeps a transport that starts from rolling, until its position is known and the count before it has ended. It knows no music.
struct TransportHold: BitwiseCopyable {
  private enum Phase: BitwiseCopyable {
    /// No transport has asked.
    case none
    /// A transport waits. Its position is used after one cycle: a client that locates and starts the transport makes it start
    /// first, and a leader reports a new position a cycle later.
    case asked
    /// A transport waits for a count.
    case counting
    /// A transport starts that needs no count.
    case passing
  }

  private var phase = Phase.none
  /// Whether the transport has been allowed to roll. It is then not asked again unless it is moved.
  private(set) var isReleased = false
  /// Whether the transport that starts has waited for a change.
  private var hasWaited = false
  /// The transport's frame in the last cycle; nil before the first.
  private var frame: UInt32?
  /// The transport's frame when it last asked; nil before it asks.
  private var askedFrame: UInt32?
  /// The clock frame at which the transport's wait is to be renewed; `never` until one has asked.
  private var renewal = ClockFrame.never

  /// Seconds from the transport's start to the first renewal, and between renewals. PipeWire's transport waits for five
  /// seconds after a start; the control side has the other two to start it again.
  private static var renewalInterval: Int64 { @_noLocks get { 3 } }
  /// A renewal that would be due less than this many milliseconds before the end is left out: a transport that is started again
  /// just when it may roll would roll a period late. Two renewals, or the last one and the end, are at most 4.5 seconds apart.
  private static var renewalMargin: Int64 { @_noLocks get { 1_500 } }

  @_noLocks
  init() {}

  /// Keeps when the wait is to be renewed, and whether the transport has waited. The rest is decided again if the transport asks.
  @_noLocks
  init(continuing other: TransportHold) { (renewal, hasWaited) = (other.renewal, other.hasWaited) }

  /// Whether no transport has asked or waits. A hold that is not idle must be opened in each cycle, to learn that the transport
  /// does not start any more.
  /// - Thread: audio
  var isIdle: Bool { @_noLocks get { phase == .none && renewal == .never && !hasWaited } }

  /// Whether a transport waits for the engine.
  /// - Thread: audio
  var holds: Bool { @_noLocks get { phase == .asked || phase == .counting } }

  /// Makes a transport that starts wait once.
  /// - Returns: whether it has not waited before.
  /// - Thread: audio
  @_noLocks
  mutating func waitOnce() -> Bool {
    defer { hasWaited = true }
    return !hasWaited
  }

  /// Decides whether a transport may roll.
  /// - Parameters:
  ///   - wasRolling: whether the transport rolled before it started: then it has been moved, and needs no count.
  ///   - isOn: whether there may be something to count.
  ///   - isDue: whether the count ends when the transport would roll.
  ///   - frame: the transport's frame.
  /// - Thread: audio
  @_noLocks
  mutating func letsRoll(wasRolling: Bool, isOn: Bool, isDue: Bool, from frame: UInt32) -> Bool {
    // A transport that asks again after it has been allowed to roll has been moved.
    let isMoved = isReleased || phase == .counting && frame != askedFrame
    if phase == .none || isMoved {
      // The new position may be known only a cycle later.
      self.frame = nil
      isReleased = wasRolling || !isOn
      phase = isReleased ? .passing : .asked
    } else if phase != .asked {
      isReleased = phase == .passing || isDue
    }
    askedFrame = frame
    return isReleased
  }

  /// What is to be done in a cycle.
  enum Step: BitwiseCopyable {
    /// No transport has asked.
    case none
    /// One that had asked does not start any more: it rolls or has been stopped.
    case ended
    /// It has been moved, and waits.
    case moved
    /// Its position is known: count, or let it pass.
    case count
    /// It waits for the count, or has been allowed to roll.
    case wait
    /// It needs no count.
    case pass
  }

  /// Begins a cycle.
  /// - Parameter sampleRate: frames per second.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, sampleRate: Int) -> Step {
    guard !isIdle else { return .none }
    guard cycle.transport.isStarting else {
      let hasAsked = phase != .none
      self = TransportHold()
      return hasAsked ? .ended : .none
    }
    guard phase != .none else { return .none }
    if renewal == .never { renew(at: cycle.clock, sampleRate) }
    guard phase != .passing else { return .pass }
    if cycle.transport.frame != frame {
      (frame, phase, isReleased) = (cycle.transport.frame, .asked, false)
      return .moved
    }
    return phase == .asked ? .count : .wait
  }

  /// The transport waits for a count.
  /// - Thread: audio
  @_noLocks
  mutating func wait() { phase = .counting }

  /// The transport waits for its position to be used again.
  /// - Thread: audio
  @_noLocks
  mutating func ask() { phase = .asked }

  /// There is nothing to count.
  /// - Thread: audio
  @_noLocks
  mutating func pass() { phase = .passing }

  /// Asks for a longer wait at once: PipeWire counts the cycles that the transport waits, so shorter ones end it earlier.
  /// - Thread: audio
  @_noLocks
  mutating func hasten(at clock: ClockFrame) { renewal = clock }

  /// Whether the transport must be asked now to wait longer.
  /// - Parameter end: when it is to roll.
  /// - Thread: audio
  @_noLocks
  mutating func isExpiring(at clock: ClockFrame, end: ClockFrame, sampleRate: Int) -> Bool {
    // Compared with the time at which it was due, because a move may begin a longer count after that.
    guard clock >= renewal, end - renewal > Self.renewalMargin * Int64(sampleRate) / 1_000 else {
      return false
    }
    renew(at: clock, sampleRate)
    return true
  }

  @_noLocks
  private mutating func renew(at clock: ClockFrame, _ sampleRate: Int) {
    renewal = clock + Self.renewalInterval * Int64(sampleRate)
  }
}
