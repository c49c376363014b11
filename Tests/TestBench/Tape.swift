import CJack
import Synchronization

/// What a recorder's process callback writes on; made to size before, so that the callback allocates nothing.
///
/// `@unchecked Sendable`: the callback alone writes; readers look only below `recorded`, which is stored last.
final class Tape: @unchecked Sendable {
  struct Gap {
    var frame: Int64
    var missing: Int64
  }

  let recorded = Atomic<Int>(0)
  let isRecording = Atomic<Bool>(false)
  /// Posted once so many frames are recorded.
  let awaited = Atomic<Int>(.max)
  /// The ports that have heard their source, a bit for each.
  let reached = Atomic<UInt>(0)
  private let client: BenchClient
  private let ports: [OpaquePointer]
  /// What a port that nothing reaches has for a buffer.
  private let emptyBuffers: [UnsafeMutableRawPointer?]
  private let storage: RecorderClient.Storage
  private var clock: CycleClock
  private(set) var firstFrame: Int64 = 0
  let sampleCapacity: Int
  private let samples: UnsafeMutableBufferPointer<Float>
  private var detectors: UnsafeMutableBufferPointer<OnsetDetector>
  private let onsets: [Shelf<Int64>]
  private let cycles: Shelf<TransportCycle>
  private let gaps = Shelf<Gap>(capacity: 1_000_000)

  /// The ports must not be connected yet.
  init(client: BenchClient, ports: [OpaquePointer], storage: RecorderClient.Storage, cycles: Int) {
    self.client = client
    self.ports = ports
    clock = CycleClock(client: client)
    emptyBuffers = ports.map { jack_port_get_buffer($0, jack_nframes_t(client.period)) }
    self.storage = storage
    var detector = OnsetDetector()
    var onsetCapacity = 0
    switch storage {
    case .samples(let frames): sampleCapacity = frames
    case .onsets(let chosen, let capacity):
      sampleCapacity = 0
      detector = chosen
      onsetCapacity = capacity
    }
    samples = .allocate(capacity: sampleCapacity * ports.count)
    samples.initialize(repeating: 0)
    detectors = .allocate(capacity: ports.count)
    detectors.initialize(repeating: detector)
    onsets = ports.map { _ in Shelf(capacity: onsetCapacity) }
    self.cycles = Shelf(capacity: cycles)
  }

  deinit {
    samples.deallocate()
    detectors.deallocate()
  }

  /// Called in the process callback.
  func process(_ frameCount: Int) {
    let frame = clock.begin(Int64(frameCount))
    noteReached(frameCount)
    guard isRecording.load(ordering: .acquiring) else { return }
    let before = recorded.load(ordering: .relaxed)
    if before == 0 { firstFrame = frame }
    let start = Int(frame - firstFrame)
    if start != before { gaps.put(Gap(frame: firstFrame + Int64(before), missing: Int64(start - before))) }
    for port in ports.indices { store(port, at: start, frameCount) }
    recordTransport(frame, frameCount)
    let after = start + frameCount
    recorded.store(after, ordering: .releasing)
    if after >= awaited.load(ordering: .acquiring) {
      awaited.store(.max, ordering: .releasing)
      client.changed.post()
    }
  }

  /// Where one other port is connected, both libraries give that port's buffer, and not the input's own.
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

  private func store(_ port: Int, at start: Int, _ frameCount: Int) {
    let buffer = jack_port_get_buffer(ports[port], jack_nframes_t(frameCount))
    guard let input = buffer?.assumingMemoryBound(to: Float.self) else { return }
    switch storage {
    case .samples:
      let count = min(frameCount, sampleCapacity - start)
      if count > 0 {
        (samples.baseAddress! + port * sampleCapacity + start).update(from: input, count: count)
      }
    case .onsets:
      let shelf = onsets[port]
      detectors[port].scan(UnsafeBufferPointer(start: input, count: frameCount)) {
        shelf.put(firstFrame + Int64(start + $0))
      }
    }
  }

  private func recordTransport(_ frame: Int64, _ frameCount: Int) {
    guard cycles.capacity > 0 else { return }
    var position = jack_position_t()
    let state = jack_transport_query(client.handle, &position)
    cycles.put(TransportCycle(frameTime: frame, frameCount: frameCount, state: state, position: position))
  }

  // What the callback wrote, for readers.

  func samples(_ port: Int) -> [Float] {
    let count = min(recorded.load(ordering: .acquiring), sampleCapacity)
    return Array(samples[(port * sampleCapacity)..<(port * sampleCapacity + count)])
  }

  func onsets(_ port: Int) -> [Int64] { onsets[port].items }
  var transportCycles: [TransportCycle] { cycles.items }
  var allGaps: [Gap] { gaps.items }
  var overflowed: Bool { onsets.contains { $0.isFull } || cycles.isFull || gaps.isFull }
}
