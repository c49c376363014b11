import CJack
import Foundation
import Synchronization

/// What JACK's notification threads tell the supervisor: flags, and an eventfd that wakes it. They do nothing else, since a
/// client that dawdles in a notification holds up the whole server.
final class HostSignals: Sendable {
  let hasShutDown = Atomic<Bool>(false)
  let graphChanges = Atomic<Int>(0)
  let latencyChanges = Atomic<Int>(0)
  let sampleRate = Atomic<Int>(0)
  let xruns = Atomic<Int>(0)
  private let wakeup: Int32

  init() { wakeup = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC)) }

  deinit { close(wakeup) }

  /// - Thread: jack, any
  func wake() {
    var one: UInt64 = 1
    _ = write(wakeup, &one, 8)
  }

  /// Waits until somebody wakes it, at most some milliseconds.
  /// - Thread: the supervisor's
  func wait(milliseconds: Int32) {
    var descriptor = pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)
    _ = poll(&descriptor, 1, milliseconds)
    var count: UInt64 = 0
    _ = read(wakeup, &count, 8)
  }

  /// Has JACK tell these signals about a client. The signals must outlive it.
  func listen(to client: OpaquePointer) {
    let argument = Unmanaged.passUnretained(self).toOpaque()
    // jack2 calls only the second of the two where both are set, PipeWire before 0.3.71 only the first.
    jack_on_shutdown(client, { signals(at: $0).shutDown() }, argument)
    jack_on_info_shutdown(client, { _, _, argument in signals(at: argument).shutDown() }, argument)
    jack_set_xrun_callback(
      client,
      { argument in
        signals(at: argument).xruns.wrappingAdd(1, ordering: .relaxed)
        return 0
      }, argument)
    jack_set_port_connect_callback(
      client, { _, _, _, argument in signals(at: argument).graphChange() }, argument)
    jack_set_port_registration_callback(
      client, { _, _, argument in signals(at: argument).graphChange() }, argument)
    jack_set_latency_callback(
      client,
      { _, argument in
        signals(at: argument).latencyChanges.wrappingAdd(1, ordering: .relaxed)
        signals(at: argument).wake()
      }, argument)
    jack_set_sample_rate_callback(
      client,
      { rate, argument in
        signals(at: argument).sampleRate.store(Int(rate), ordering: .relaxed)
        signals(at: argument).wake()
        return 0
      }, argument)
  }

  private func shutDown() {
    hasShutDown.store(true, ordering: .releasing)
    wake()
  }

  private func graphChange() {
    graphChanges.wrappingAdd(1, ordering: .relaxed)
    wake()
  }
}

private func signals(at argument: UnsafeMutableRawPointer?) -> HostSignals {
  Unmanaged<HostSignals>.fromOpaque(argument!).takeUnretainedValue()
}
