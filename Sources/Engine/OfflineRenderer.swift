import MusicTime

/// Runs the kernel without a device, as fast as it goes, until a score has ended and its last clip has too.
public struct OfflineRenderer: ~Copyable {
  /// Frames in a block; what is rendered does not depend on it.
  public static let blockLength = 8_192

  private var kernel: Kernel
  private let channels: UnsafePointer<Channels>
  private let memory: UnsafeMutablePointer<Float>
  private let outputs: Outputs
  private var clock: Int64 = 0
  /// The frame at which the music ends; the last clip may sound a little longer.
  public let end: Int64

  /// - Parameters:
  ///   - score: owned by the renderer from here on; it has an end, or `end` says where that is.
  ///   - end: the frame from which on nothing begins any more.
  public init(_ score: UnsafePointer<Score>, until end: Int64? = nil) {
    self.end = end ?? score.pointee.endFrame!
    channels = Channels.make()
    kernel = Kernel(channels, Programme.make(change: score))
    let length = OfflineRenderer.blockLength
    memory = .allocate(capacity: 5 * length)
    memory.initialize(repeating: 0, count: 5 * length)
    outputs = Outputs(
      out: memory, accent: memory + length, beat: memory + 2 * length, subdivision: memory + 3 * length,
      cue: memory + 4 * length)
    _ = channels.pointee.commands.push(Command(.start))
    if let end { _ = channels.pointee.commands.push(Command(.stop, at: end)) }
  }

  deinit {
    memory.deallocate()
    Channels.free(channels)
  }

  /// Renders the next frames, as many as are left up to a block.
  /// - Returns: the buffers, which hold until the next call, and how many frames of them count; nil when all is over.
  public mutating func next() -> (outputs: Outputs, frames: Int)? {
    let left = max(end - clock, Int64(kernel.longestVoice))
    guard left > 0 else { return nil }
    let frames = Int(min(left, Int64(OfflineRenderer.blockLength)))
    kernel.render(Cycle(clock: clock, frames: frames), into: outputs)
    clock += Int64(frames)
    while channels.pointee.events.pop() != nil {}
    return (outputs, frames)
  }

  /// What is done, 0…1.
  public var progress: Double { min(1, Double(clock) / Double(max(end, 1))) }
}
