import Engine
import Realtime

/// A JACK server as the program's host sees it: its clock, its transport, and who leads it. It may hang, or be gone.
final class SimulatedServer: AudioHost, @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  enum State { case up, hung, down }
  enum Leader { case nobody, program, other }
  private enum Request {
    case roll(Bool)
    case locate(UInt32)
  }

  private(set) var state = State.up
  private(set) var hungSince: UInt64 = 0
  private(set) var rate: Int
  private(set) var period: Int
  /// Whether the program has a client on it.
  var hasClient = false
  /// Whether it was lost once.
  var wasLost = false
  private(set) var isRolling = false
  private(set) var frame: UInt32 = 0
  private(set) var leader = Leader.nobody
  private var requests: [Request] = []
  /// The clock frame that is rendered at a time; nil before a client's first cycle.
  private var anchor: (frame: Int64, time: UInt64)?
  /// When cycles were counted from, and how many frames they had since.
  private var origin: (time: UInt64, frames: Int64)
  /// Frames by which everything is later than the program knows, where that flaw is planted.
  var drift: Int64 = 0
  var xruns = 0
  /// Whether the program is kept from leading, where that flaw is planted.
  var keepsLead = false

  init(rate: Int, period: Int, at time: UInt64) {
    (self.rate, self.period) = (rate, period)
    origin = (time, 0)
  }

  /// Frames from a port to the speakers.
  var latency: Int64 { Int64(2 * period) }

  /// Nanoseconds from the moment at which a cycle has to know something until that sounds, at most.
  var delay: UInt64 { nanoseconds(latency) + periodTime }

  // MARK: Cycles

  /// When the next cycle begins; `.max` while there is none.
  var nextCycle: UInt64 { state == .up ? origin.time + nanoseconds(origin.frames) : .max }

  private func nanoseconds(_ frames: Int64) -> UInt64 {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(rate))
    return UInt64(seconds) * 1_000_000_000 + UInt64(rest) * 1_000_000_000 / UInt64(rate)
  }

  /// Nanoseconds of a cycle.
  var periodTime: UInt64 { nanoseconds(Int64(period)) }

  /// A cycle begins with a clock frame: does what was asked of the transport, and says how it stands.
  func beginCycle(_ clock: Int64, at time: UInt64) -> Cycle.Transport {
    anchor = (clock, time)
    for request in requests {
      switch request {
      case .roll(let rolls): isRolling = rolls
      case .locate(let target): frame = target
      }
    }
    requests = []
    var transport = Cycle.Transport()
    (transport.isRolling, transport.frame) = (isRolling, frame)
    return transport
  }

  /// The cycle is over.
  func endCycle() {
    if isRolling { frame &+= UInt32(period) }
    origin.frames += Int64(period)
  }

  /// Cycles pass that the program does not see.
  func miss(_ cycles: Int) {
    let frames = cycles * period
    if isRolling { frame &+= UInt32(frames) }
    origin.frames += Int64(frames)
    xruns += 1
  }

  // MARK: Faults

  func hang(at time: UInt64) {
    guard state == .up else { return }
    (state, hungSince) = (.hung, time)
  }

  /// A server that hung goes on.
  func goOn(at time: UInt64) {
    guard state == .hung else { return }
    state = .up
    origin = (time, 0)
  }

  func die() {
    state = .down
    forgetClient()
    (isRolling, frame, leader) = (false, 0, .nobody)
  }

  func forgetClient() {
    (hasClient, anchor, requests) = (false, nil, [])
    if leader == .program { leader = .nobody }
  }

  func start(rate: Int, period: Int, at time: UInt64) {
    (state, self.rate, self.period) = (.up, rate, period)
    origin = (time, 0)
  }

  func change(period: Int, at time: UInt64) {
    origin = (max(time, nextCycle == .max ? time : nextCycle), 0)
    self.period = period
  }

  func change(rate: Int, at time: UInt64) {
    origin = (max(time, nextCycle == .max ? time : nextCycle), 0)
    self.rate = rate
  }

  // MARK: Other clients

  func roll(_ rolls: Bool) { requests.append(.roll(rolls)) }
  func locate(_ frame: UInt32) { requests.append(.locate(frame)) }
  func lead(byOther leads: Bool) {
    if leads { leader = .other } else if leader == .other { leader = .nobody }
  }

  // MARK: AudioHost

  func startTransport() { if hasClient { requests.append(.roll(true)) } }
  func stopTransport() { if hasClient { requests.append(.roll(false)) } }
  func locateTransport(to frame: UInt32) { if hasClient { requests.append(.locate(frame)) } }

  /// No history has a pre-roll.
  func holdTransport() {}
  func renewHold() {}

  func take(_ role: SyncMode, conditional: Bool) -> Bool {
    guard hasClient, state == .up else { return true }
    guard role == .lead else {
      if leader == .program { leader = .nobody }
      return true
    }
    guard !(conditional && (leader == .other || keepsLead)) else { return false }
    leader = .program
    return true
  }

  func announceTimebase() -> Bool { !hasClient || state != .up || leader != .other }

  func readClock() -> HostClock? {
    anchor.map {
      HostClock(
        instant: Instant(nanoseconds: $0.time), frame: $0.frame - drift, sampleRate: rate,
        latency: Int(latency), period: period)
    }
  }

  func clockFrame(soundingAt time: UInt64) -> Int64? { frame(renderedAt: time).map { $0 - latency } }

  func soundingTime(of clockFrame: Int64) -> UInt64? { time(of: clockFrame + latency + drift) }

  func time(of clockFrame: Int64) -> UInt64? {
    anchor.map { anchor in
      let ahead = clockFrame - anchor.frame
      let (seconds, rest) = abs(ahead).quotientAndRemainder(dividingBy: Int64(rate))
      let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(rest) * 1_000_000_000 / UInt64(rate)
      return ahead < 0 ? anchor.time &- nanoseconds : anchor.time &+ nanoseconds
    }
  }

  /// The clock frame that is nearest to an instant.
  private func frame(renderedAt time: UInt64) -> Int64? {
    anchor.map { anchor in
      let ahead = Int128(Int64(bitPattern: time &- anchor.time)) * Int128(rate)
      return anchor.frame + Int64((ahead + (ahead < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000)
    }
  }
}
