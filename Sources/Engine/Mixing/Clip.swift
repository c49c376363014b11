import MusicTime

/// A sound in memory: immutable mono samples at the engine's sample rate.
///
/// The process callback reads the samples through a pointer while the conductor keeps the clip alive (see `ClipSet`), so
/// that the callback counts no references.
public final class Clip: @unchecked Sendable {
  // `@unchecked`: only `init` writes the buffer.
  /// Mono samples; 1 is full scale.
  public let samples: UnsafeBufferPointer<Float>

  /// Copies the samples. The clip's memory is freed with it.
  public init(_ samples: [Float]) {
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: samples.count)
    _ = buffer.initialize(from: samples)
    self.samples = UnsafeBufferPointer(buffer)
  }

  deinit {
    samples.deallocate()
  }
}

/// One clip for each role: a sound set at one sample rate.
public typealias ClipSet = PerRole<Clip>

/// The samples of a clip set, for the process callback.
typealias SoundingClips = PerRole<UnsafeBufferPointer<Float>>
