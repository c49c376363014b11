import CJack
import Synchronization
import TestBench

/// A slow-sync client that is ready when the test says so, like a program that must seek on a disk.
final class SlowStarter: Sendable {
  private let client: BenchClient
  private let isReady = Atomic<Bool>(false)

  init(server: JACKServer) throws {
    client = try BenchClient(server: server, name: "slow")
    // JACK does not wait for a client without one.
    jack_set_process_callback(client.handle, { _, _ in 0 }, nil)
    jack_set_sync_callback(
      client.handle,
      { state, _, context in
        let starter = Unmanaged<SlowStarter>.fromOpaque(context!).takeUnretainedValue()
        return state != JackTransportStarting || starter.isReady.load(ordering: .relaxed) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    try client.activate()
  }

  deinit { client.close() }

  func beReady() { isReady.store(true, ordering: .relaxed) }
}
