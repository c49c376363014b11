import CJack
import Synchronization

/// A recorder's process callback: reads the ports and the transport, and writes to a tape.
///
/// `@unchecked Sendable`: only the callback uses the clock; all else is constant, atomic or a shelf.
final class RecorderInput: @unchecked Sendable {
  let tape: Tape
  let isRecording = Atomic<Bool>(false)
  /// The number of recorded frames at which the callback posts an event.
  let awaited = Atomic<Int>(.max)
  /// The ports whose connections carry sound, one bit for each.
  let reached = Atomic<UInt>(0)
  let cycles: FixedList<TransportCycle>
  private let client: BenchClient
  private let ports: [OpaquePointer]
  /// The buffers of the ports without a connection.
  private let emptyBuffers: [UnsafeMutableRawPointer?]
  private var clock = CycleClock()

  /// The ports must not be connected yet.
  init(client: BenchClient, ports: [OpaquePointer], storage: RecorderClient.Storage, cycles: Int) {
    self.client = client
    self.ports = ports
    emptyBuffers = ports.map { jack_port_get_buffer($0, jack_nframes_t(client.period)) }
    tape = Tape(ports: ports.count, storage: storage)
    self.cycles = FixedList(capacity: cycles)
  }

  func process(_ frameCount: Int) {
    let cycle = client.beginCycle(&clock, frameCount)
    defer { client.endCycle(cycle) }
    noteReached(frameCount)
    guard isRecording.load(ordering: .acquiring) else {
      return tape.listen(cycle) { samples(port: $0, frameCount) }
    }
    if cycle.gap == nil { recordTransport(cycle) }
    tape.record(cycle) { samples(port: $0, frameCount) }
    if tape.recorded.load(ordering: .relaxed) >= awaited.load(ordering: .acquiring) {
      awaited.store(.max, ordering: .releasing)
      client.changed.post()
    }
  }

  private func samples(port: Int, _ frameCount: Int) -> UnsafePointer<Float>? {
    jack_port_get_buffer(ports[port], jack_nframes_t(frameCount)).map {
      UnsafePointer($0.assumingMemoryBound(to: Float.self))
    }
  }

  /// With exactly one connection both libraries return the other port's buffer instead of the input's own.
  private func noteReached(_ frameCount: Int) {
    let before = reached.load(ordering: .relaxed)
    var now = before
    for (port, empty) in emptyBuffers.enumerated()
    where jack_port_get_buffer(ports[port], jack_nframes_t(frameCount)) != empty {
      now |= 1 << UInt(port)
    }
    guard now != before else { return }
    reached.store(now, ordering: .releasing)
    client.changed.post()
  }

  private func recordTransport(_ cycle: CycleClock.Cycle) {
    guard cycles.capacity > 0 else { return }
    var position = jack_position_t()
    let state = jack_transport_query(client.handle, &position)
    cycles.put(
      TransportCycle(frameTime: cycle.frame, frameCount: cycle.frameCount, state: state, position: position))
  }
}
