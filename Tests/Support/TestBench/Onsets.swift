/// Finds where sounds begin: the first sample above a threshold after enough of quiet.
public struct OnsetDetector: Sendable {
  /// A sample of a magnitude above this begins a sound.
  public var threshold: Float
  /// A sample of a magnitude of at most this is quiet.
  public var floor: Float
  /// So many quiet frames must come first; the very beginning counts as quiet, until `interrupt`.
  public var quietFrames: Int
  private var quiet = Int.max / 2

  public init(threshold: Float = 1e-4, floor: Float = 1e-5, quietFrames: Int = 16) {
    self.threshold = threshold
    self.floor = floor
    self.quietFrames = quietFrames
  }

  /// The very first sample of a sound that swings through zero, but isn't quiet before its end. Built-in clips begin with a
  /// sample of silence, so that each is heard one frame after its onset; all of them alike.
  public static let anySound = OnsetDetector(threshold: 0, floor: 0, quietFrames: 200)

  /// Says that what came before the next sample is unknown: it may be the middle of a sound.
  public mutating func interrupt() { quiet = 0 }

  /// Calls `onset` with the index of each onset in the next samples. Any way of cutting a stream into
  /// pieces gives the same onsets.
  public mutating func scan(_ samples: UnsafeBufferPointer<Float>, onset: (Int) -> Void) {
    if peak(samples) <= min(floor, threshold) {
      quiet = min(quiet, Int.max / 2) + samples.count
      return
    }
    for (index, sample) in samples.enumerated() {
      let magnitude = abs(sample)
      if magnitude > threshold && quiet >= quietFrames { onset(index) }
      quiet = magnitude <= floor ? min(quiet, Int.max / 2) + 1 : 0
    }
  }

  /// The largest magnitude. Magnitudes of floats sort as their bits do, and integers go through SIMD.
  private func peak(_ samples: UnsafeBufferPointer<Float>) -> Float {
    var bits: UInt32 = 0
    for sample in samples { bits = max(bits, sample.bitPattern & 0x7fff_ffff) }
    return Float(bitPattern: bits)
  }
}

/// Questions about onsets.
public enum Onsets {
  /// The frames at which sounds begin in `samples`, whose first sample is `firstFrame`.
  public static func frames(
    in samples: [Float], firstFrame: Int64 = 0, detector: OnsetDetector = OnsetDetector()
  ) -> [Int64] {
    var detector = detector
    var frames: [Int64] = []
    samples.withUnsafeBufferPointer { detector.scan($0) { frames.append(firstFrame + Int64($0)) } }
    return frames
  }

  /// The distances between neighbours.
  public static func intervals(_ frames: [Int64]) -> [Int64] {
    zip(frames.dropFirst(), frames).map { $0 - $1 }
  }

  /// How far the onsets stray, at most, from the exact places counted from the first onset.
  ///
  /// `exact` gives the distance, in frames, of the onset with this index from the onset with index 0.
  public static func largestDeviation(_ frames: [Int64], exact: (Int) -> Double) -> Double {
    guard let first = frames.first else { return 0 }
    return frames.enumerated().map { abs(Double($1 - first) - exact($0)) }.max() ?? 0
  }
}
