/// A timbre as one role plays it: how high, how loud and how long.
struct Voicing {
  var timbre: Timbre
  /// Multiplies every frequency.
  var pitch = 1.0
  /// Peak level, relative to the loudest clip of the set.
  var level = 1.0
  /// Multiplies every duration.
  var stretch = 1.0

  /// The peak of a clip at level 1: 3 dB below full scale, so that a beat and a cue can sound together.
  static let peak = 0.7

  /// Seconds in which a clip fades out at its end.
  static let release = 0.005

  /// The sound as samples: first and last are exactly 0, and the loudest is `level` times `peak`.
  ///
  /// - Parameter sampleRate: in hertz, above 0. Tones near half of it and above are left out.
  func samples(sampleRate: Int) -> [Float] {
    let highest = min(Timbre.highestFrequency, 0.45 * Double(sampleRate))
    var sum = [Double](repeating: 0, count: Fade.frames(timbre.length * stretch, sampleRate: sampleRate))
    for partial in timbre.partials(pitch: pitch, stretch: stretch, highest: highest) {
      partial.add(to: &sum, sampleRate: sampleRate)
    }

    // Scaled last: the end of a clip is never its peak, so fading it doesn't move the peak.
    let loudest = sum.reduce(0) { max($0, abs($1)) }
    let gain = loudest > 0 ? Voicing.peak * level / loudest : 0
    var samples = sum.map { Float($0 * gain) }
    Fade.fadeOut(&samples, frames: Fade.frames(Voicing.release, sampleRate: sampleRate))
    return samples
  }
}
