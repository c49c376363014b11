import CJack

/// The transport of jack2 (`JackTransportEngine`, `JackAtomicArrayState`).
///
/// Requests in one cycle take effect in the next. A transport that starts, or that is located while it rolls, waits for the
/// clients that have a sync callback.
struct JACK2Transport: ServerTransport {
  private enum Command { case none, start, stop }

  private(set) var state = JackTransportStopped
  var follower: TransportFollower?
  private var command = Command.stop
  private var previousCommand = Command.stop
  /// Number of cycles for which it still waits for slow clients.
  private var syncCyclesLeft = 0
  var slowCycles = 0
  private var slowCyclesLeft = 0
  /// In microseconds.
  var syncTimeout: UInt64 = 10_000_000

  /// The current position, the next one, and a requested one.
  private var positions = [jack_position_t](repeating: jack_position_t(), count: 3)
  private var current = 0
  private var isWritten = [false, false, false]

  // MARK: Positions

  var position: jack_position_t { positions[current] }

  /// The position of the next cycle, as known now.
  private var nextPosition: jack_position_t { isWritten[1] ? positions[slot(1)] : positions[current] }

  private func slot(_ kind: Int) -> Int { current == kind ? 0 : kind }

  /// - Returns: whether a position of this kind had been written and not been used.
  @discardableResult
  private mutating func write(_ kind: Int, _ change: (inout jack_position_t) -> Void) -> Bool {
    let was = beginWriting(kind)
    change(&positions[slot(kind)])
    isWritten[kind] = true
    return was
  }

  private mutating func beginWriting(_ kind: Int) -> Bool {
    defer { isWritten[kind] = false }
    if !isWritten[kind] { positions[slot(kind)] = positions[current] }
    return isWritten[kind]
  }

  // MARK: Requests of clients

  mutating func start() { command = .start }
  mutating func stop() { command = .stop }

  mutating func locate(to frame: UInt32) {
    write(2) {
      $0.frame = frame
      $0.valid = jack_position_bits_t(0)
    }
  }

  mutating func forgetTimebase() { write(2) { $0.valid = jack_position_bits_t(0) } }

  mutating func noteLeader(isProgram: Bool) {}

  mutating func askLeader(isProgram: Bool, _ fill: (inout jack_position_t, Bool) -> Void) {
    let isNew = follower?.mustFillTimebase == true
    guard !isProgram || isNew || state == JackTransportRolling else { return }
    var next = nextPosition
    fill(&next, isNew)
    write(1) { $0 = next }
    if isProgram { follower?.mustFillTimebase = false }
  }

  // MARK: Cycles

  /// Begins a cycle.
  mutating func beginCycle(rate: Int, period: Int) {
    write(1) { $0.frame_rate = UInt32(rate) }
    // The next position becomes the current one.
    (current, isWritten[1]) = (slot(1), false)
    var command = command
    if command != previousCommand { previousCommand = command } else { command = .none }
    let isMoved = isPending
    switch state {
    case JackTransportStopped:
      if command == .start { beginStarting(rate, period) } else if isMoved { tellAll(isReady: false) }
    case JackTransportStarting:
      syncCyclesLeft -= 1
      slowCyclesLeft -= 1
      if command == .stop {
        stopAll()
      } else if isMoved {
        beginStarting(rate, period)
      } else if syncCyclesLeft <= 0 || slowCyclesLeft < 0 && follower?.isReady != false {
        state = JackTransportRolling
      }
    default:
      if command == .stop { stopAll() } else if isMoved { beginStarting(rate, period) }
    }
    if state == JackTransportRolling { write(1) { $0.frame &+= UInt32(period) } }
    isPending = beginWriting(2)
    if isPending {
      let request = positions[slot(2)]
      write(1) { $0 = request }
    }
  }

  /// Whether a position was requested in the previous cycle.
  private var isPending = false

  private mutating func beginStarting(_ rate: Int, _ period: Int) {
    state = JackTransportStarting
    slowCyclesLeft = slowCycles
    tellAll(isReady: false)
    syncCyclesLeft = Int(syncTimeout / max(1, UInt64(period) * 1_000_000 / UInt64(rate)))
  }

  private mutating func tellAll(isReady: Bool) {
    follower?.isReady = isReady
    follower?.mustSync = true
    follower?.mustFillTimebase = true
  }

  private mutating func stopAll() {
    state = JackTransportStopped
    follower?.mustSync = false
    follower?.mustFillTimebase = false
  }
}
