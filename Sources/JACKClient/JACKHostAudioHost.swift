import CJack
import Engine
import Glibc
import Realtime

/// What the conductor asks of the host, answered by the client that is active.
extension JACKHost: AudioHost {
  public func startTransport() {
    active.withLock { if let it = $0 { jack_transport_start(it.handle.client) } }
  }

  public func stopTransport() { active.withLock { if let it = $0 { jack_transport_stop(it.handle.client) } } }

  public func locateTransport(to frame: UInt32) {
    active.withLock { if let it = $0 { _ = jack_transport_locate(it.handle.client, frame) } }
  }

  public func take(_ role: TransportRole, conditional: Bool) -> Bool {
    active.withLock { active in
      guard let client = active?.handle.client else { return true }
      if role == .lead {
        // PipeWire doesn't refuse one who comes second.
        if conditional, JACKHost.usesPipeWire, active?.leads == false, isLed(client) { return false }
        let code = jack_set_timebase_callback(client, conditional ? 1 : 0, timebaseCallback, context)
        // Any other failure is a server that is about to go.
        if conditional, code == EBUSY { return false }
        active?.leads = code == 0
      } else if active?.leads == true {
        _ = jack_release_timebase(client)
        active?.leads = false
      }
      return true
    }
  }

  /// Whether somebody says where the music is.
  private func isLed(_ client: OpaquePointer) -> Bool {
    var position = jack_position_t()
    jack_transport_query(client, &position)
    return position.valid.rawValue & JackPositionBBT.rawValue != 0
  }

  public func announceTimebase() -> Bool {
    active.withLock {
      guard let it = $0, it.leads else { return true }
      // Conditional: whoever has taken the lead since keeps it.
      let code = jack_set_timebase_callback(it.handle.client, 1, timebaseCallback, context)
      $0?.leads = code == 0
      return code != EBUSY
    }
  }

  // Both go from now, since PipeWire before 0.3.66 answers nonsense for times and frames that have passed.

  public func clockFrame(soundingAt time: UInt64) -> Int64? {
    active.withLock {
      guard let it = $0 else { return nil }
      let ahead = Double(Int64(bitPattern: time &- monotonicNow())) * 1e-9 * Double(it.sampleRate)
      let rendered = channels.pointee.clock.load(ordering: .relaxed)
      let now = Int32(bitPattern: clockNow(it) &- UInt32(truncatingIfNeeded: rendered))
      return rendered + Int64(now) + Int64(ahead.rounded()) - Int64(it.latency)
    }
  }

  public func soundingTime(of clockFrame: Int64) -> UInt64? {
    active.withLock { $0.flatMap { time(of: clockFrame + Int64($0.latency), $0) } }
  }

  public func time(of clockFrame: Int64) -> UInt64? {
    active.withLock { $0.flatMap { time(of: clockFrame, $0) } }
  }

  private func time(of clockFrame: Int64, _ it: ActiveClient) -> UInt64? {
    let ahead = Int32(bitPattern: UInt32(truncatingIfNeeded: clockFrame) &- clockNow(it))
    // A client's clock doesn't run before its first cycle.
    guard ahead.magnitude < 10 * it.sampleRate else { return nil }
    return monotonicNow() &+ UInt64(bitPattern: Int64(ahead) * 1_000_000_000 / Int64(it.sampleRate))
  }

  /// The clock's frame now, modulo 2³².
  private func clockNow(_ it: ActiveClient) -> UInt32 {
    jack_frame_time(it.handle.client) &+ clock.pointee.phase.load(ordering: .relaxed)
  }
}
