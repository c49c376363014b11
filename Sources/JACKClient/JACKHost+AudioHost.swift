import CJack
import Engine
import Glibc
import Realtime

/// The conductor's interface to the host.
///
/// A server that hangs would block the caller, so a queue makes the calls, in the order of the requests. Reading the clock
/// needs no call to the server.
extension JACKHost: AudioHost {
  package func startTransport() { request { [jack] in jack.startTransport($0.handle.client) } }

  package func stopTransport() { request { [jack] in jack.stopTransport($0.handle.client) } }

  package func locateTransport(to frame: UInt32) {
    request { [jack] in _ = jack.locateTransport($0.handle.client, frame) }
  }

  package func holdTransport() {
    request { [self] active in
      guard !active.holds, jack.onSync(active.handle.client, syncCallback, context) == 0
      else { return }
      active.holds = true
      // After this time the transport rolls anyway. PipeWire reads these microseconds as nanoseconds, and keeps the shortest
      // limit until it ends. If no client sets a limit, its transport waits for five seconds (measured with 0.3.65: 5.0 s, and
      // 48 ms after 50 000 000 were set; the source of 1.6.8 does the same). See `renewHold`.
      guard !jack.isPipeWire else { return }
      let seconds = UInt64(PreRollPolicy.limit) + 10
      _ = jack.setSyncTimeout(active.handle.client, seconds * 1_000_000)
    }
  }

  package func renewHold() {
    // jackd uses the limit that `holdTransport` has set.
    guard jack.isPipeWire else { return }
    request { [jack] active in
      // If a client has stopped the transport since, it must stay stopped. Another start makes PipeWire restart its five
      // seconds. The process callback can't make it: from 1.2 on the call takes a lock.
      guard jack.queryTransport(active.handle.client, nil) == JackTransportStarting else { return }
      jack.startTransport(active.handle.client)
    }
  }

  package func take(_ role: SyncMode, conditional: Bool) -> Bool {
    guard role == .lead else {
      request { [jack] active in
        if active.leads { _ = jack.releaseTimebase(active.handle.client) }
        active.leads = false
      }
      return true
    }
    guard conditional else {
      request { [self] in _ = lead(&$0, conditional: false) }
      return true
    }
    return ask { [self] active in
      // PipeWire doesn't refuse a second leader.
      if jack.isPipeWire, !active.leads, isLed(active.handle.client) { return false }
      return lead(&active, conditional: true)
    }
  }

  package func announceTimebase() -> Bool {
    // Conditional: another client that has become the leader since keeps the lead.
    ask { [self] in !$0.leads || lead(&$0, conditional: true) }
  }

  /// - Returns: false if another client leads. Any other failure means that the server is about to disappear.
  private func lead(_ active: inout ActiveClient, conditional: Bool) -> Bool {
    let code = jack.onTimebase(
      active.handle.client, conditional ? 1 : 0, timebaseCallback, context)
    active.leads = code == 0
    return code != EBUSY
  }

  /// Whether another client is the timebase leader.
  private func isLed(_ client: OpaquePointer) -> Bool {
    var position = jack_position_t()
    _ = jack.queryTransport(client, &position)
    return position.valid.rawValue & JackPositionBBT.rawValue != 0
  }

  // MARK: Calling the server

  /// Calls the server asynchronously. Does nothing without a server.
  private func request(_ call: @escaping @Sendable (inout ActiveClient) -> Void) {
    guard clientClock.withLock({ $0 != nil }) else { return }
    platform.calls.run { [self] in active.withLock { _ = perform(call, on: &$0) } }
  }

  /// Calls the server and waits for the answer, at most `HostPlatform.patience`.
  /// - Returns: the answer, or true without a server or an answer in time: if that is wrong, the kernel reports
  ///   `leadLost`.
  private func ask(_ call: @escaping @Sendable (inout ActiveClient) -> Bool) -> Bool {
    guard clientClock.withLock({ $0 != nil }) else { return true }
    let answer = BoundedCall<Bool>()
    platform.calls.run { [self] in
      answer.give(.success(active.withLock { perform(call, on: &$0) } ?? true))
    }
    // After a timeout, does not wait for the server again until the call has returned.
    guard overdue.load(ordering: .acquiring) == 0 else { return true }
    if let result = try? answer.wait(for: configuration.server, within: platform.patience) { return result }
    overdue.add(1, ordering: .releasing)
    platform.calls.run { [self] in overdue.subtract(1, ordering: .releasing) }
    return true
  }

  private func perform<Answer>(
    _ call: (inout ActiveClient) -> Answer, on active: inout ActiveClient?
  ) -> Answer? {
    guard var client = active else { return nil }
    defer { active = client }
    return call(&client)
  }

  // MARK: The clock

  package func readClock() -> HostClock? {
    let rendered = channels.pointee.clock.load(ordering: .relaxed)
    return clientClock.withLock { $0.flatMap { $0.read(rendered: rendered, platform.now) } }
  }
}
