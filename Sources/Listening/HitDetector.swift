import MusicTime

/// Finds strokes in the samples of one input.
///
/// A detector reads no clock: it knows the time only from the frames that it receives, so tests can process a day in seconds.
package protocol HitDetector {
  /// Processes samples.
  /// - Parameter frame: the clock frame of the first sample. The samples must continue those of the last call, unless `reset`
  ///   was called in between.
  /// - Returns: the strokes that are certain now, in order of time. A stroke at the end of `samples` may be returned by a later
  ///   call.
  mutating func receive(_ samples: [Float], at frame: ClockFrame) -> [DetectedHit]

  /// Forgets all samples. Call it when frames were lost.
  mutating func reset()

  /// The peak with which this input hears the click, full scale is 1; 0 if it does not hear it, or if that is not known.
  var bleed: Float { get set }
}

/// Detects nothing, for an input that is only recorded.
struct NullDetector: HitDetector {
  var bleed: Float = 0

  mutating func receive(_ samples: [Float], at frame: ClockFrame) -> [DetectedHit] { [] }
  mutating func reset() {}
}

/// A stroke that a detector has found.
package struct DetectedHit: Equatable, Sendable {
  /// The clock frame of its first sample.
  package var frame: ClockFrame
  /// The peak of its first milliseconds; full scale is 1.
  package var strength: Float
}

extension Float {
  /// The sample limited to −4…4; 0 if it is infinite or not a number.
  var sane: Float { isFinite ? Swift.min(Swift.max(self, -4), 4) : 0 }
}
