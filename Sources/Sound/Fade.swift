import Glibc

/// Raised-cosine ramps: a clip that starts from zero and ends at zero does not click.
enum Fade {
  /// What a clip may start or end with and still be heard as silence there: −80 dB.
  static let inaudible: Float = 1e-4

  /// The frames in `seconds`, to the nearest, at least 1.
  static func frames(_ seconds: Double, sampleRate: Int) -> Int {
    max(1, Int((seconds * Double(sampleRate)).rounded()))
  }

  /// The gain at a part of a ramp: exactly 0 at 0, and 1 at 1.
  static func gain(_ part: Double) -> Double {
    0.5 - 0.5 * cos(Double.pi * part)
  }

  /// Ramps the first `count` samples up, or all of them where there are fewer; the first becomes exactly 0.
  static func fadeIn(_ samples: inout [Float], frames count: Int) {
    let count = min(count, samples.count)
    for index in 0..<count {
      samples[index] *= Float(gain(Double(index) / Double(count)))
    }
  }

  /// Ramps the last `count` samples down, or all of them where there are fewer; the last becomes exactly 0.
  static func fadeOut(_ samples: inout [Float], frames count: Int) {
    let count = min(count, samples.count)
    for index in 0..<count {
      samples[samples.count - 1 - index] *= Float(gain(Double(index) / Double(count)))
    }
  }

  /// Takes the click off a recording's ends, and leaves an end that is silent already as it is.
  ///
  /// 0.5 ms up at the start, so that the onset stays crisp, and 2 ms down at the end.
  static func declick(_ samples: inout [Float], sampleRate: Int) {
    if let first = samples.first, abs(first) > inaudible {
      fadeIn(&samples, frames: frames(0.0005, sampleRate: sampleRate))
    }
    if let last = samples.last, last != 0 {
      fadeOut(&samples, frames: frames(0.002, sampleRate: sampleRate))
    }
  }
}
