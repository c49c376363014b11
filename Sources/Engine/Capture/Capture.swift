import MIDI
import MusicTime
import Realtime
import Synchronization

/// The player's audio and notes on their way from the process callback to the thread that listens.
///
/// The callback only copies. Each block of samples has the clock frame of its first sample. Blocks and notes without room
/// are lost and counted. Like `Channels`, a capture is never freed.
///
/// A recording has a capture of its own, with the click as its last input. The click is known only after the engine has
/// rendered, but the other inputs must be copied before, since ports may share buffers. Therefore each period is copied in
/// two parts, `begin` and `finish`.
package struct Capture: ~Copyable, @unchecked Sendable {
  // `@unchecked`: the callback writes samples before it pushes their block, and the listener reads them before it advances
  // `consumed`.

  /// The most inputs.
  package static let limit = 8

  /// Samples of one period, the same for all inputs.
  package struct Block: BitwiseCopyable, Sendable {
    /// The clock frame of the first sample.
    package let clock: ClockFrame
    /// The number of samples captured before this block; it never wraps.
    package let position: Int
    /// Frames of the block.
    package let count: Int
    /// Frames per second.
    package let sampleRate: Int
  }

  /// The number of audio inputs, 0…8.
  package let inputs: Int
  /// Samples that each input has room for; a power of two.
  package let capacity: Int
  private let samples: UnsafeMutablePointer<Float>
  private let blocks = Ring<Block>(capacity: 32_768)
  private let notes = Ring<MIDIEvent>(capacity: 1_024)
  /// Samples written, and those that the listener no longer needs.
  private let written = Atomic<Int>(0)
  private let consumed = Atomic<Int>(0)
  /// Frames and notes that found no room.
  package let lostFrames = Atomic<Int>(0)
  package let lostNotes = Atomic<Int>(0)
  /// Frames from the instrument to each audio port; the last element belongs to the notes.
  private let latencies: UnsafeMutablePointer<Atomic<Int>>

  private init(inputs: Int, sampleRate: Int, seconds: Int) {
    self.inputs = inputs
    var capacity = 1 << 16
    while capacity < seconds * sampleRate { capacity *= 2 }
    self.capacity = capacity
    samples = .allocate(capacity: max(inputs, 1) * capacity)
    samples.initialize(repeating: 0, count: max(inputs, 1) * capacity)
    latencies = .allocate(capacity: Capture.limit + 1)
    for index in 0...Capture.limit { (latencies + index).initialize(to: Atomic(0)) }
  }

  /// - Parameters:
  ///   - inputs: the number of audio inputs, 0…8.
  ///   - sampleRate: the rate for which room is allocated; the server's rate may change later.
  ///   - seconds: the length for which room is allocated. With two, a listener that is blocked for one loses nothing.
  /// - Thread: control
  package static func make(inputs: Int, sampleRate: Int, seconds: Int = 2) -> UnsafePointer<Capture> {
    precondition(0...limit ~= inputs, "up to eight inputs")
    let capture = UnsafeMutablePointer<Capture>.allocate(capacity: 1)
    capture.initialize(to: Capture(inputs: inputs, sampleRate: sampleRate, seconds: seconds))
    return UnsafePointer(capture)
  }

  // MARK: Latencies

  /// Sets the frames from the instrument to a port.
  /// - Parameter input: an audio input; nil for the notes.
  /// - Thread: any
  package func setLatency(of input: Int?, _ frames: Int) {
    latencies[input ?? Capture.limit].store(frames, ordering: .relaxed)
  }

  /// Frames from the instrument to a port.
  /// - Thread: any
  package func latency(of input: Int?) -> Int { latencies[input ?? Capture.limit].load(ordering: .relaxed) }

  // MARK: The callback's end

  /// Takes the samples of one period.
  /// - Parameter buffers: as many as there are inputs; an input without a buffer is silent.
  /// - Thread: audio
  @_noLocks
  package func receive(
    _ buffers: UnsafePointer<UnsafePointer<Float>?>, frames: Int, clock: ClockFrame, sampleRate: Int
  ) {
    if begin(buffers, count: inputs, frames: frames) { push(frames, clock, sampleRate) }
  }

  /// Copies the samples of the first inputs in a period. The listener receives them after `finish`.
  /// - Parameters:
  ///   - buffers: an input without a buffer is silent.
  ///   - count: the number of buffers.
  /// - Returns: false if the period found no room; it must not be finished then.
  /// - Thread: audio
  @_noLocks
  package func begin(
    _ buffers: UnsafePointer<UnsafePointer<Float>?>, count: Int, frames: Int
  ) -> Bool {
    let position = written.load(ordering: .relaxed)
    guard frames <= capacity - (position - consumed.load(ordering: .acquiring)), blocks.hasRoom else {
      lostFrames.wrappingAdd(frames, ordering: .relaxed)
      return false
    }
    for input in 0..<count { copy(buffers[input], to: input, position, frames) }
    return true
  }

  /// Takes the samples of the last input, and hands the period over.
  /// - Thread: audio
  @_noLocks
  package func finish(_ buffer: UnsafePointer<Float>, frames: Int, clock: ClockFrame, sampleRate: Int) {
    copy(buffer, to: inputs - 1, written.load(ordering: .relaxed), frames)
    push(frames, clock, sampleRate)
  }

  @_noLocks
  private func push(_ frames: Int, _ clock: ClockFrame, _ sampleRate: Int) {
    let position = written.load(ordering: .relaxed)
    written.store(position + frames, ordering: .relaxed)
    _ = blocks.push(Block(clock: clock, position: position, count: frames, sampleRate: sampleRate))
  }

  /// Copies up to two contiguous pieces, in loops that the compiler can vectorise.
  @_noLocks
  private func copy(_ buffer: UnsafePointer<Float>?, to input: Int, _ position: Int, _ frames: Int) {
    let start = position & (capacity - 1)
    let first = min(frames, capacity - start)
    let (place, ring) = (samples + input * capacity + start, samples + input * capacity)
    guard let buffer else {
      clear(place, count: first)
      return clear(ring, count: frames - first)
    }
    for index in 0..<first { place[index] = buffer[index] }
    for index in first..<frames { ring[index - first] = buffer[index] }
  }

  /// Takes the notes that begin in a period.
  /// - Thread: audio
  @_noLocks
  package func receive(_ messages: MIDIBuffer, from clock: ClockFrame) {
    for index in 0..<messages.count {
      let entry = messages[index]
      guard case .noteOn = entry.message else { continue }
      if !notes.push(MIDIEvent(entry.message, at: clock + Int64(entry.offset))) {
        lostNotes.wrappingAdd(1, ordering: .relaxed)
      }
    }
  }

  // MARK: The consumer's end: the listener's, or the recorder's

  /// Takes the oldest block; nil if there is none. Its samples stay valid until `release`.
  /// - Thread: the consumer's
  package func takeBlock() -> Block? { blocks.pop() }

  /// Takes the oldest note; nil if there is none.
  /// - Thread: the consumer's
  package func takeNote() -> MIDIEvent? { notes.pop() }

  /// Copies the samples of a block.
  /// - Thread: the consumer's
  package func read(_ block: Block, input: Int, into target: inout [Float]) {
    let place = samples + input * capacity
    target.removeAll(keepingCapacity: true)
    for index in block.position..<block.position + block.count {
      target.append(place[index & (capacity - 1)])
    }
  }

  /// Frees the room of a block and of all earlier ones.
  /// - Thread: the consumer's
  package func release(_ block: Block) {
    consumed.store(block.position + block.count, ordering: .releasing)
  }
}
