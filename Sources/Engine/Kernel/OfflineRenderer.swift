import MusicTime

/// Runs the kernel without a device, as fast as possible, until the score and its last clip have ended.
package struct OfflineRenderer: ~Copyable {
  /// Frames per block; the output does not depend on it.
  package static let blockLength = 8_192

  private var kernel: Kernel
  private let channels = OwnedChannels()
  private let memory: UnsafeMutablePointer<Float>
  private let layers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let outputs: Outputs
  /// Frames rendered: the clock starts at 0, and the music with it.
  private var rendered: Int64 = 0
  /// The frame of the music at which it ends; the last clip may sound a little longer.
  package let end: Int64

  /// - Parameters:
  ///   - score: owned by the renderer from now on. It must have an end unless `end` is given.
  ///   - end: the frame of the music from which on no onset begins.
  ///   - layers: how many layers have a buffer of their own.
  package init(_ score: UnsafePointer<Score>, until end: Int64? = nil, layers count: Int = 0) {
    self.end = end ?? score.pointee.endFrame!
    kernel = Kernel(channels.pointer, ScoreUpdate.make(change: score))
    let length = OfflineRenderer.blockLength
    memory = .allocate(capacity: (5 + count) * length)
    memory.initialize(repeating: 0, count: (5 + count) * length)
    layers = .allocate(capacity: count)
    for index in 0..<count { layers.initializeElement(at: index, to: memory + (5 + index) * length) }
    outputs = Outputs(
      out: memory, accent: memory + length, beat: memory + 2 * length, subdivision: memory + 3 * length,
      cue: memory + 4 * length, layers: UnsafeBufferPointer(layers))
    _ = channels.pointer.pointee.commands.push(Command(.start))
    if let end { _ = channels.pointer.pointee.commands.push(Command(.stop, at: ClockFrame(end))) }
  }

  deinit {
    memory.deallocate()
    layers.deallocate()
  }

  /// Renders the next block.
  /// - Returns: the buffers, which are valid until the next call, and their number of valid frames; nil at the end.
  package mutating func next() -> (outputs: Outputs, frames: Int)? {
    let left = max(end - rendered, Int64(kernel.longestVoice))
    guard left > 0 else { return nil }
    let frames = Int(min(left, Int64(OfflineRenderer.blockLength)))
    kernel.render(Cycle(clock: ClockFrame(rendered), frames: frames), into: outputs)
    rendered += Int64(frames)
    while channels.pointer.pointee.events.pop() != nil {}
    return (outputs, frames)
  }

  /// The completed fraction, 0…1.
  package var progress: Double { min(1, Double(rendered) / Double(max(end, 1))) }
}
