import CJack
import Realtime
import Synchronization

/// Flags set by JACK's notification thread, some also by its process thread, and a wakeup for the supervisor. The notification callbacks do nothing
/// else: a client that is slow in a notification blocks the whole server.
final class HostSignals: Sendable {
  let hasShutDown = Atomic<Bool>(false)
  let graphChanges = Atomic<Int>(0)
  let latencyChanges = Atomic<Int>(0)
  let sampleRate = Atomic<Int>(0)
  let xruns = Atomic<Int>(0)
  private let registered = Mutex<[jack_port_id_t]>([])
  /// Wakes the supervisor.
  let wakeup = Wakeup()

  /// Registers a client's notification callbacks. The signals must outlive the client.
  func listen(to client: OpaquePointer, _ jack: JACKLibrary) {
    let argument = Unmanaged.passUnretained(self).toOpaque()
    // If both are set, jack2 calls only the second, and PipeWire before 0.3.71 only the first.
    jack.onShutdown(client, { notify($0) { $0.shutDown() } }, argument)
    jack.onInfoShutdown(client, { _, _, argument in notify(argument) { $0.shutDown() } }, argument)
    _ = jack.onXrun(
      client,
      { argument in
        notify(argument) { $0.xruns.wrappingAdd(1, ordering: .relaxed) }
        return 0
      }, argument)
    _ = jack.onConnection(
      client, { _, _, _, argument in notify(argument) { $0.graphChange() } }, argument)
    _ = jack.onRegistration(
      client, { port, isThere, argument in notify(argument) { $0.portChange(port, isThere != 0) } }, argument)
    _ = jack.onLatency(
      client,
      { _, argument in
        notify(argument) {
          $0.latencyChanges.wrappingAdd(1, ordering: .relaxed)
          $0.wakeup.post()
        }
      }, argument)
    _ = jack.onSampleRate(
      client,
      { rate, argument in
        notify(argument) {
          $0.sampleRate.store(Int(rate), ordering: .relaxed)
          $0.wakeup.post()
        }
        return 0
      }, argument)
  }

  /// The ports registered since the last call.
  /// - Thread: supervisor
  func takeRegistered() -> [jack_port_id_t] {
    registered.withLock { ids in
      defer { ids = [] }
      return ids
    }
  }

  private func portChange(_ port: jack_port_id_t, _ isThere: Bool) {
    // Servers have fewer ports than this limit, and the lock is held briefly.
    if isThere { registered.withLock { if $0.count < 4_096 { $0.append(port) } } }
    graphChange()
  }

  private func shutDown() {
    hasShutDown.store(true, ordering: .releasing)
    wakeup.post()
  }

  private func graphChange() {
    graphChanges.wrappingAdd(1, ordering: .relaxed)
    wakeup.post()
  }
}

/// Sets signals in a callback, which is not cancelled meanwhile.
private func notify(_ argument: UnsafeMutableRawPointer?, _ set: (HostSignals) -> Void) {
  let cancellation = tactus_hold_cancellation()
  set(Unmanaged<HostSignals>.fromOpaque(argument!).takeUnretainedValue())
  tactus_release_cancellation(cancellation)
}
