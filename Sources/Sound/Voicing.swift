/// How one role plays a timbre: pitch, level and length.
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

  /// The duration in seconds of the fade at a clip's end.
  static let release = 0.005

  /// The sound as samples. The first and last are exactly 0, and the peak is `level` times `peak`.
  ///
  /// - Parameter sampleRate: in hertz, above 0. Tones near half of it and above are omitted.
  func samples(sampleRate: Int) -> [Float] {
    let highest = min(Timbre.highestFrequency, 0.45 * Double(sampleRate))
    var sum = [Double](repeating: 0, count: Fade.frames(timbre.length * stretch, sampleRate: sampleRate))
    for partial in timbre.partials(pitch: pitch, stretch: stretch, highest: highest) {
      partial.add(to: &sum, sampleRate: sampleRate)
    }

    // Scale after the fade. The peak is never at the end, so the fade doesn't change it.
    let loudest = sum.reduce(0) { max($0, abs($1)) }
    let gain = loudest > 0 ? Voicing.peak * level / loudest : 0
    var samples = sum.map { Float($0 * gain) }
    Fade.fadeOut(&samples, frames: Fade.frames(Voicing.release, sampleRate: sampleRate))
    return samples
  }
}
