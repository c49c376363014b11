/// A sound in memory: mono samples at the engine's sample rate, never changed once made.
///
/// The process callback reads the samples through a pointer while the control side keeps the clip alive
/// (see `ClipSet`), so that nothing is retained or released in the callback.
public final class Clip: @unchecked Sendable {
  // `@unchecked`: the buffer is written in `init` alone and only read afterwards.
  public let samples: UnsafeBufferPointer<Float>

  public init(_ samples: [Float]) {
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: samples.count)
    _ = buffer.initialize(from: samples)
    self.samples = UnsafeBufferPointer(buffer)
  }

  deinit {
    samples.deallocate()
  }
}
