import Glibc

/// Raised-cosine ramps. A clip that starts and ends at zero does not click.
enum Fade {
  /// The largest amplitude at a clip's ends that counts as silence: −80 dB.
  static let inaudible: Float = 1e-4

  /// The number of frames in `seconds`, rounded to the nearest, at least 1.
  static func frames(_ seconds: Double, sampleRate: Int) -> Int {
    max(1, Int((seconds * Double(sampleRate)).rounded()))
  }

  /// The gain at a fraction of a ramp: exactly 0 at 0, and 1 at 1.
  static func gain(_ part: Double) -> Double {
    0.5 - 0.5 * cos(Double.pi * part)
  }

  /// Fades in the first `count` samples, or all if there are fewer; the first becomes exactly 0.
  static func fadeIn(_ samples: inout [Float], frames count: Int) {
    let count = min(count, samples.count)
    for index in 0..<count {
      samples[index] *= Float(gain(Double(index) / Double(count)))
    }
  }

  /// Fades out the last `count` samples, or all if there are fewer; the last becomes exactly 0.
  static func fadeOut(_ samples: inout [Float], frames count: Int) {
    let count = min(count, samples.count)
    for index in 0..<count {
      samples[samples.count - 1 - index] *= Float(gain(Double(index) / Double(count)))
    }
  }

  /// Removes the click at a recording's ends. An end that is already silent stays unchanged.
  ///
  /// Fades in over 0.5 ms, so that the onset stays crisp, and fades out over 2 ms.
  static func declick(_ samples: inout [Float], sampleRate: Int) {
    if let first = samples.first, abs(first) > inaudible {
      fadeIn(&samples, frames: frames(0.0005, sampleRate: sampleRate))
    }
    if let last = samples.last, last != 0 {
      fadeOut(&samples, frames: frames(0.002, sampleRate: sampleRate))
    }
  }
}
