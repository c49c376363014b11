/// Finds strokes in the samples of one input.
///
/// A detector knows no time but the frames it is told, so that a day can be heard in seconds.
package protocol HitDetector {
  /// Hears the samples that begin at a frame of the clock. They follow on those before, unless `reset` was called.
  /// - Returns: the strokes that are certain now, in order. The last samples of a stroke may come with a later call.
  mutating func receive(_ samples: [Float], at frame: Int64) -> [DetectedHit]

  /// Forgets what was heard: frames were lost.
  mutating func reset()

  /// The peak with which the click is heard in this input; 0 if it is not, or not known.
  var bleed: Float { get set }
}

/// Hears nothing, of an input that is only recorded.
struct DeafDetector: HitDetector {
  var bleed: Float = 0

  mutating func receive(_ samples: [Float], at frame: Int64) -> [DetectedHit] { [] }
  mutating func reset() {}
}

/// A stroke as a detector finds it.
package struct DetectedHit: Equatable, Sendable {
  /// The clock frame of its first sample.
  package var frame: Int64
  /// The peak of its first milliseconds.
  package var strength: Float
}

extension Float {
  /// A sample that does no harm: neither infinite nor far beyond full scale.
  var sane: Float { isFinite ? Swift.min(Swift.max(self, -4), 4) : 0 }
}
