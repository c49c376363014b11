import Control
import Engine
import Synchronization

/// An audio host without audio: it notes what is asked of it, and its clock stands where the test puts it.
public final class SimulatedHost: AudioHost {
  public enum Call: Equatable, Sendable {
    case start
    case stop
    case locate(UInt32)
    case take(SyncMode, conditional: Bool)
    case announce
  }

  private struct State {
    var calls: [Call] = []
    var isLedByAnother = false
    var role = SyncMode.free
    var xruns = 0
    /// The clock frame that sounds at `time`; nil while there is no server.
    var sounding: (frame: Int64, time: UInt64)?
  }

  public let sampleRate: Int
  private let state = Mutex(State())

  public init(sampleRate: Int) {
    self.sampleRate = sampleRate
  }

  /// What was asked so far.
  public var calls: [Call] { state.withLock { $0.calls } }

  public func forgetCalls() { state.withLock { $0.calls = [] } }

  /// Whether another client leads the transport.
  public var isLedByAnother: Bool {
    get { state.withLock { $0.isLedByAnother } }
    set { state.withLock { $0.isLedByAnother = newValue } }
  }

  /// What the server has said.
  public var xruns: Int {
    get { state.withLock { $0.xruns } }
    set { state.withLock { $0.xruns = newValue } }
  }

  /// Whether the transport asks this client where it is.
  var leads: Bool { state.withLock { $0.role == .lead && !$0.isLedByAnother } }

  /// Puts the clock so that a frame sounds at a time, and the others accordingly.
  public func setClock(_ frame: Int64, soundingAt time: UInt64) {
    state.withLock { $0.sounding = (frame, time) }
  }

  public func startTransport() { note(.start) }
  public func stopTransport() { note(.stop) }
  public func locateTransport(to frame: UInt32) { note(.locate(frame)) }
  public func announceTimebase() -> Bool {
    note(.announce)
    return !isLedByAnother
  }

  public func take(_ role: SyncMode, conditional: Bool) -> Bool {
    state.withLock { state in
      state.calls.append(.take(role, conditional: conditional))
      guard !(role == .lead && conditional && state.isLedByAnother) else { return false }
      state.role = role
      return true
    }
  }

  public func clockFrame(soundingAt time: UInt64) -> Int64? {
    state.withLock { $0.sounding }.map { sounding in
      let ahead = Int64(bitPattern: time &- sounding.time)
      return sounding.frame + ahead / 1_000 * Int64(sampleRate) / 1_000_000
    }
  }

  public func soundingTime(of clockFrame: Int64) -> UInt64? {
    state.withLock { $0.sounding }.map { sounding in
      let ahead = (clockFrame - sounding.frame) * 1_000_000 / Int64(sampleRate) * 1_000
      return sounding.time &+ UInt64(bitPattern: ahead)
    }
  }

  public func time(of clockFrame: Int64) -> UInt64? { soundingTime(of: clockFrame) }

  private func note(_ call: Call) { state.withLock { $0.calls.append(call) } }
}
