import Control
import Engine
import MusicTime
import Realtime
import Synchronization

/// An audio host without audio: it records its calls, and the test sets its clock.
package final class SimulatedHost: AudioHost {
  package enum Call: Equatable, Sendable {
    case start
    case stop
    case locate(UInt32)
    case take(SyncMode, conditional: Bool)
    case announce
    case hold
    case renew
  }

  private struct State {
    var calls: [Call] = []
    var isLedByAnother = false
    var role = SyncMode.free
    var xruns = 0
    /// nil while there is no server.
    var clock: HostClock?
  }

  package let sampleRate: Int
  private let state = Mutex(State())

  package init(sampleRate: Int) {
    self.sampleRate = sampleRate
  }

  /// The calls so far.
  package var calls: [Call] { state.withLock { $0.calls } }

  package func forgetCalls() { state.withLock { $0.calls = [] } }

  /// Whether another client leads the transport.
  package var isLedByAnother: Bool {
    get { state.withLock { $0.isLedByAnother } }
    set { state.withLock { $0.isLedByAnother = newValue } }
  }

  /// The xruns that the server has reported.
  package var xruns: Int {
    get { state.withLock { $0.xruns } }
    set { state.withLock { $0.xruns = newValue } }
  }

  /// Whether this client leads the transport: it publishes the position.
  var leads: Bool { state.withLock { $0.role == .lead && !$0.isLedByAnother } }

  /// There is no clock any more, as without a server, until it is set again.
  package func loseClock() { state.withLock { $0.clock = nil } }

  /// Sets the clock so that a frame sounds at an instant.
  /// - Parameter latency: of the outputs, in frames.
  package func setClock(_ frame: ClockFrame, soundingAt time: Instant, latency: Int = 0) {
    let instant = time - .nanoseconds(latency * 1_000_000_000 / sampleRate)
    state.withLock {
      $0.clock = HostClock(instant: instant, frame: frame, sampleRate: sampleRate, latency: latency)
    }
  }

  package func startTransport() { note(.start) }
  package func stopTransport() { note(.stop) }
  package func locateTransport(to frame: UInt32) { note(.locate(frame)) }
  package func holdTransport() { note(.hold) }
  package func renewHold() { note(.renew) }
  package func announceTimebase() -> Bool {
    note(.announce)
    return !isLedByAnother
  }

  package func take(_ role: SyncMode, conditional: Bool) -> Bool {
    state.withLock { state in
      state.calls.append(.take(role, conditional: conditional))
      guard !(role == .lead && conditional && state.isLedByAnother) else { return false }
      state.role = role
      return true
    }
  }

  package func readClock() -> HostClock? { state.withLock { $0.clock } }

  /// The clock frame that sounds at an instant; nil while there is no server.
  package func clockFrame(soundingAt time: Instant) -> ClockFrame? { readClock()?.frame(soundingAt: time) }

  /// The instant at which a clock frame sounds; nil while there is no server.
  package func soundingTime(of clockFrame: ClockFrame) -> Instant? {
    readClock()?.soundingInstant(of: clockFrame)
  }

  private func note(_ call: Call) { state.withLock { $0.calls.append(call) } }
}
