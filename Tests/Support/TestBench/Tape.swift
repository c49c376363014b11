import Synchronization

/// A recorder's storage, allocated in advance, so that the process callback allocates nothing.
///
/// Each cycle is stored at its frame time. A cycle that cannot be placed is omitted and noted as a gap.
///
/// `@unchecked Sendable`: only the callback writes; readers read only below `recorded`, which is stored last.
final class Tape: @unchecked Sendable {
  /// Frames from `firstFrame` on, gaps included.
  let recorded = Atomic<Int>(0)
  private(set) var firstFrame: Int64 = 0
  let sampleCapacity: Int
  private let ports: Int
  private let storage: RecorderClient.Storage
  private let samples: UnsafeMutableBufferPointer<Float>
  private var detectors: UnsafeMutableBufferPointer<OnsetDetector>
  private let onsets: [FixedList<Int64>]
  private let gaps = FixedList<Gap>(capacity: 1_000_000)
  /// Frames after a gap until the detector can distinguish the beginning of a sound from its continuation.
  private let deafFrames: Int64

  init(ports: Int, storage: RecorderClient.Storage) {
    self.ports = ports
    self.storage = storage
    var detector = OnsetDetector()
    var onsetCapacity = 0
    switch storage {
    case .samples(let frames):
      sampleCapacity = frames
      deafFrames = 0
    case .onsets(let chosen, let capacity):
      sampleCapacity = 0
      detector = chosen
      onsetCapacity = capacity
      deafFrames = Int64(chosen.quietFrames)
    }
    detector.interrupt()
    samples = .allocate(capacity: sampleCapacity * ports)
    samples.initialize(repeating: 0)
    detectors = .allocate(capacity: ports)
    detectors.initialize(repeating: detector)
    onsets = (0..<ports).map { _ in FixedList(capacity: onsetCapacity) }
  }

  deinit {
    samples.deallocate()
    detectors.deallocate()
  }

  /// Analyses a cycle that is not recorded, so that a sound that continues when the recording begins is not an onset.
  ///
  /// `input` returns a port's samples. Called in the process callback, like `record`.
  func listen(_ cycle: CycleClock.Cycle, input: (Int) -> UnsafePointer<Float>?) {
    guard case .onsets = storage else { return }
    guard cycle.gap == nil else { return interrupt() }
    for port in 0..<ports {
      guard let samples = input(port) else { continue }
      detectors[port].scan(UnsafeBufferPointer(start: samples, count: cycle.frameCount)) { _ in }
    }
  }

  func record(_ cycle: CycleClock.Cycle, input: (Int) -> UnsafePointer<Float>?) {
    let before = recorded.load(ordering: .relaxed)
    // The recording begins with a cycle that can be placed.
    guard before > 0 || cycle.gap == nil else { return interrupt() }
    if before == 0 { firstFrame = cycle.frame }
    let start = Int(cycle.frame - firstFrame)
    if let gap = cycle.gap {
      gaps.put(Gap(start: gap.start, end: gap.end + deafFrames))
      interrupt()
    } else {
      for port in 0..<ports {
        guard let samples = input(port) else { continue }
        store(port, at: start, UnsafeBufferPointer(start: samples, count: cycle.frameCount))
      }
    }
    recorded.store(max(before, start + cycle.frameCount), ordering: .releasing)
  }

  private func interrupt() {
    for port in 0..<ports { detectors[port].interrupt() }
  }

  private func store(_ port: Int, at start: Int, _ input: UnsafeBufferPointer<Float>) {
    switch storage {
    case .samples:
      let count = min(input.count, sampleCapacity - start)
      guard start >= 0, count > 0, let source = input.baseAddress else { return }
      (samples.baseAddress! + port * sampleCapacity + start).update(from: source, count: count)
    case .onsets:
      let shelf = onsets[port]
      detectors[port].scan(input) { shelf.put(firstFrame + Int64(start + $0)) }
    }
  }

  // Access for readers.

  func samples(_ port: Int) -> [Float] {
    let count = min(recorded.load(ordering: .acquiring), sampleCapacity)
    return Array(samples[(port * sampleCapacity)..<(port * sampleCapacity + count)])
  }

  func onsets(_ port: Int) -> [Int64] { onsets[port].items }
  var allGaps: [Gap] { gaps.items }
  var overflowed: Bool { onsets.contains { $0.isFull } || gaps.isFull }
}
