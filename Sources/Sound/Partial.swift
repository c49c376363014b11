import Glibc

/// One exponentially damped sine. Every built-in sound is a sum of these.
///
/// A struck bar, block or plate rings as such a sum (Fletcher and Rossing, "The Physics of Musical
/// Instruments", chapters 2 and 3). The sum is a function of time alone, so a sound is the same at every
/// sample rate.
struct Partial {
  /// In hertz; below half the sample rate.
  var frequency: Double
  /// Amplitude at the start, before the attack; 1 is full scale.
  var amplitude: Double
  /// Phase at the start in turns: 0 ≤ phase < 1. 0 starts at zero and rises.
  var phase: Double = 0
  /// Seconds in which the partial falls by 60 dB; above 0.
  var decay: Double
  /// Start in seconds after the clip's first sample; not negative.
  var start: Double = 0

  /// The attack in seconds: short enough for a crisp onset, long enough to avoid a click.
  static let attack = 0.0003

  /// Adds the partial to `samples`, the first of which is at time 0.
  func add(to samples: inout [Double], sampleRate: Int) {
    let rate = Double(sampleRate)
    let first = Int((start * rate).rounded(.up))
    guard first < samples.count else { return }

    // Rotate and shrink a phasor each sample: this needs two sines per partial instead of one per sample.
    let angle = 2 * Double.pi * frequency / rate
    let damping = -3 * M_LN10 / (decay * rate)
    let (stepX, stepY) = (exp(damping) * cos(angle), exp(damping) * sin(angle))
    // The start may lie between two samples.
    let lag = Double(first) - start * rate
    let turned = 2 * Double.pi * phase + angle * lag
    var x = amplitude * exp(damping * lag) * cos(turned)
    var y = amplitude * exp(damping * lag) * sin(turned)

    let attackFrames = Partial.attack * rate
    for index in first..<samples.count {
      let age = Double(index - first) + lag
      samples[index] += age < attackFrames ? y * Fade.gain(age / attackFrames) : y
      (x, y) = (x * stepX - y * stepY, x * stepY + y * stepX)
    }
  }
}
