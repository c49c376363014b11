import Engine
import MusicTime

/// A JACK transport that asks the engine before it rolls, as JACK asks a slow-sync client; or PipeWire's, which waits for a limited
/// time.
struct HeldTransport {
  let rig: Rig
  var period = 256
  private(set) var frame: UInt32
  private(set) var state = State.stopped
  /// The clock frame at which it began to roll.
  private(set) var begin: ClockFrame?
  /// Whether the other clients that need time to start are ready.
  var othersAreReady = true
  /// Whether the engine has allowed it to roll; it is then not asked again.
  private var isAllowed = false
  /// Frames of the last cycle, by which the client asks: it learns the next one's when it renders.
  private var lastPeriod = 256
  /// The longest wait after a start, in frames; nil if it is unlimited.
  var patience: Int64?
  /// Frames from the engine's request for a longer wait to the start that renews the wait; nil if the request is ignored.
  var answer: Int64?
  private var waitEnd = ClockFrame.never
  private var nextStart = ClockFrame.never
  private var eventsRead = 0
  /// The clock frames at which the engine requested a longer wait.
  private(set) var requests: [ClockFrame] = []
  /// The leader's position at a frame; nil if the engine or no client leads.
  var leader: ((_ frame: UInt32) -> Cycle.Leader)?

  enum State { case stopped, starting, rolling }

  init(_ rig: Rig, frame: UInt32 = 0, leader: ((UInt32) -> Cycle.Leader)? = nil) {
    (self.rig, self.frame, self.leader) = (rig, frame, leader)
    for _ in 0..<2 { render() }
  }

  mutating func start() {
    (state, isAllowed) = (.starting, false)
    waitEnd = patience.map { rig.clock + $0 } ?? .never
  }
  mutating func stop() { state = .stopped }

  /// Locates; a rolling transport starts again at the new frame.
  mutating func locate(_ frame: UInt32) {
    self.frame = frame
    if state == .rolling { state = .starting }
    isAllowed = false
  }

  mutating func render() {
    if state == .starting, rig.clock >= nextStart {
      nextStart = .never
      start()
    }
    if state == .starting, !isAllowed {
      isAllowed = rig.letsTransportRoll(at: rig.clock + Int64(lastPeriod), from: frame)
    }
    lastPeriod = period
    var transport = Cycle.Transport()
    (transport.isRolling, transport.isStarting) = (state == .rolling, state == .starting)
    transport.frame = frame
    transport.leader = leader?(frame)
    if state == .rolling, begin == nil { begin = rig.clock }
    rig.render(period, transport)
    if state == .rolling { frame &+= UInt32(period) }
    if state == .starting, isAllowed && othersAreReady || rig.clock >= waitEnd { state = .rolling }
    hearWishes()
    if leader == nil { _ = rig.barBeatTick(at: frame) }
  }

  private mutating func hearWishes() {
    for case .holdExpires(let clock) in rig.events[eventsRead...] {
      requests.append(clock)
      if let answer { nextStart = clock + answer }
    }
    eventsRead = rig.events.count
  }

  mutating func render(frames: Int64) {
    let end = rig.clock + frames
    while rig.clock < end { render() }
  }
}
