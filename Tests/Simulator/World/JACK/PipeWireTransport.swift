import CJack

/// The transport of PipeWire (`node_ready` in impl-node.c, `position_to_jack` and `cycle_signal` in pipewire-jack.c, 1.6).
///
/// It keeps one request of each kind; a later one in the same cycle replaces it. A leader's position is shown one cycle late, and
/// only in whole ticks. While the transport is stopped, the leader is asked only after a start or locate.
struct PipeWireTransport: ServerTransport {
  private enum Command { case start, stop }

  private(set) var state = JackTransportStopped
  private(set) var position = jack_position_t()
  var follower: TransportFollower?
  var slowCycles = 0
  private var slowCyclesLeft = 0
  /// In nanoseconds.
  var syncTimeout: UInt64 = 5_000_000_000

  private var command: Command?
  private var request: UInt32?
  /// Number of cycles for which it still waits for slow clients.
  private var syncCyclesLeft = 0
  /// Whether another client that leads must be asked, because the transport was started or located.
  private var mustAskOther = true

  /// Frames since the server's start at this cycle's start, the length of the cycle, and of all cycles that rolled.
  private var clock: Int64 = 0
  private var period: Int64 = 0
  private var elapsed: Int64 = 0
  /// The clock minus the elapsed frames, as of the last cycle.
  private var offset: Int64 = 0
  /// The last locate: the elapsed frames at which it takes effect, and its position.
  private var segment: (start: Int64, position: UInt32) = (0, 0)

  /// What a leader has published: the beats since the start of bar 0, and the rest of its position.
  private struct Bar {
    var beats: Double
    var rest: jack_position_t
  }

  /// The shown position, and the one published in the last cycle.
  private var bar: Bar?
  private var published: Bar?

  // MARK: Requests of clients

  mutating func start() { command = .start }
  mutating func stop() { command = .stop }
  mutating func locate(to frame: UInt32) { request = frame }
  mutating func forgetTimebase() { (bar, published) = (nil, nil) }

  // MARK: Cycles

  mutating func beginCycle(rate: Int, period: Int) {
    clock += self.period
    self.period = Int64(period)
    let command = command.take()
    var areReady = false
    switch command {
    case nil:
      if state == JackTransportStarting { slowCyclesLeft -= 1 }
      areReady = slowCyclesLeft < 0 && follower?.mustSync != true
    case .start:
      beginStarting(rate)
      tellAll(mustSync: true)
    case .stop:
      state = JackTransportStopped
      tellAll(mustSync: false)
    }
    if let published { bar = published }
    if let frame = request.take() {
      segment = (clock - offset, frame)
      if state == JackTransportRolling { beginStarting(rate) }
      tellAll(mustSync: true)
      areReady = false
    }
    if state == JackTransportStarting {
      if !areReady {
        syncCyclesLeft -= 1
        areReady = syncCyclesLeft == 0
      }
      if areReady { state = JackTransportRolling }
    }
    if state == JackTransportRolling { elapsed += self.period }
    offset = clock - elapsed
    show(rate)
  }

  private mutating func beginStarting(_ rate: Int) {
    state = JackTransportStarting
    slowCyclesLeft = slowCycles
    syncCyclesLeft = Int(syncTimeout / max(1, UInt64(period) * 1_000_000_000 / UInt64(rate)))
  }

  private mutating func tellAll(mustSync: Bool) {
    follower?.mustSync = mustSync
    follower?.mustFillTimebase = mustSync
    mustAskOther = mustSync
  }

  private mutating func show(_ rate: Int) {
    position = bar?.rest ?? jack_position_t()
    position.valid = jack_position_bits_t(0)
    position.frame_rate = UInt32(rate)
    let passed = max(0, elapsed - segment.start)
    position.frame = segment.position &+ UInt32(truncatingIfNeeded: passed)
    guard let bar else { return }
    let hasOffset = position.bbt_offset > 0
    position.valid = jack_position_bits_t(
      JackPositionBBT.rawValue | (hasOffset ? JackBBTFrameOffset.rawValue : 0))
    let (length, ticks) = (Double(position.beats_per_bar), position.ticks_per_beat)
    position.bar = Int32(bar.beats / length)
    var beats = Int(Double(position.bar) * length)
    position.beat = Int32(bar.beats - Double(beats))
    beats += Int(position.beat)
    position.tick = Int32((bar.beats - Double(beats)) * ticks)
    position.beat += 1
  }

  mutating func noteLeader(isProgram: Bool) {
    published = nil
    if isProgram { follower?.mustFillTimebase = true } else { mustAskOther = true }
  }

  mutating func askLeader(isProgram: Bool, _ fill: (inout jack_position_t, Bool) -> Void) {
    let isNew = isProgram ? follower?.mustFillTimebase == true : mustAskOther
    guard isNew || state == JackTransportRolling else { return }
    var asked = position
    fill(&asked, isNew)
    if isProgram { follower?.mustFillTimebase = false } else { mustAskOther = false }
    guard asked.valid.rawValue & JackPositionBBT.rawValue != 0 else { return }
    if asked.valid.rawValue & JackBBTFrameOffset.rawValue == 0 { asked.bbt_offset = 0 }
    let beats =
      Double(asked.bar) * Double(asked.beats_per_bar) + Double(asked.beat - 1)
      + Double(asked.tick) / asked.ticks_per_beat
    published = Bar(beats: beats, rest: asked)
  }
}
