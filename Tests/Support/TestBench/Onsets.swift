/// Finds where sounds begin: the first sample above a threshold after enough of quiet.
public struct OnsetDetector: Sendable {
  /// A sample with a larger magnitude begins a sound.
  public var threshold: Float
  /// A sample with at most this magnitude is quiet.
  public var floor: Float
  /// The number of quiet frames that must precede a sound; before the first sample all is quiet, until `interrupt`.
  public var quietFrames: Int
  private var quiet = Int.max / 2

  public init(threshold: Float = 1e-4, floor: Float = 1e-5, quietFrames: Int = 16) {
    self.threshold = threshold
    self.floor = floor
    self.quietFrames = quietFrames
  }

  /// Finds the first sample of sounds that cross zero but are not quiet before their end. Built-in clips begin with a sample of
  /// silence, so that each is found one frame after its onset.
  public static let anySound = OnsetDetector(threshold: 0, floor: 0, quietFrames: 200)

  /// Marks the signal before the next sample as unknown: it may be the middle of a sound.
  public mutating func interrupt() { quiet = 0 }

  /// Calls `onset` with the index of each onset in the next samples. The onsets do not depend on how a stream is divided into
  /// pieces.
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

/// Functions on lists of onsets.
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

  /// The largest distance of the onsets from their exact places, in frames; places are relative to the first onset.
  ///
  /// `exact` gives the distance, in frames, of the onset with this index from the onset with index 0.
  public static func largestDeviation(_ frames: [Int64], exact: (Int) -> Double) -> Double {
    guard let first = frames.first else { return 0 }
    return frames.enumerated().map { abs(Double($1 - first) - exact($0)) }.max() ?? 0
  }
}
