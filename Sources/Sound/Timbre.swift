import Glibc

/// The sound of a struck object: its modes, and bands of noise.
struct Timbre {
  /// A tone at one pitch.
  struct Mode {
    /// In hertz.
    var frequency: Double
    /// Relative amplitude.
    var level: Double
    /// Seconds to −60 dB.
    var decay: Double

    init(_ frequency: Double, level: Double = 1, decay: Double) {
      self.frequency = frequency
      self.level = level
      self.decay = decay
    }

    /// The odd harmonics of a square wave, each at level 1/n^`slope`: 1 is the true square, more is mellower.
    static func square(_ frequency: Double, level: Double = 1, decay: Double, slope: Double = 1) -> [Mode] {
      stride(from: 1.0, through: Timbre.highestFrequency / frequency, by: 2).map { n in
        Mode(frequency * n, level: level / pow(n, slope), decay: decay)
      }
    }
  }

  /// Noise between two frequencies, as a sum of partials with random pitches and phases.
  struct NoiseBand {
    /// In hertz.
    var frequencies: ClosedRange<Double>
    /// Relative amplitude (root mean square).
    var level: Double
    /// Seconds to −60 dB.
    var decay: Double
    /// Seconds after the strike.
    var start = 0.0
    /// The number of partials; more make smoother noise.
    var density = 120
  }

  var modes: [Mode] = []
  var noise: [NoiseBand] = []
  /// In seconds. The sound should have nearly decayed by then.
  var length: Double

  /// The highest frequency of any partial, in hertz, so that a set sounds the same from 44.1 kHz up and nothing aliases.
  static let highestFrequency = 18_000.0

  /// The partials with frequencies multiplied by `pitch` and durations by `stretch`.
  ///
  /// The noise has a fixed seed: equal arguments give equal partials.
  ///
  /// - Parameter highest: in hertz. Tones above it are omitted; noise above it is transposed down by octaves, so that a
  ///   hi-hat is audible at 8 kHz too.
  func partials(pitch: Double, stretch: Double, highest: Double) -> [Partial] {
    var random = SplitMix64(seed: 0x5EED)
    let tones = modes.filter { $0.frequency * pitch <= highest }.map { mode in
      Partial(frequency: mode.frequency * pitch, amplitude: mode.level, decay: mode.decay * stretch)
    }
    let noises = noise.flatMap { band in
      // n sines of amplitude a and random phase have a root mean square of a·√(n/2).
      let amplitude = band.level * (2 / Double(band.density)).squareRoot()
      let width = band.frequencies.upperBound - band.frequencies.lowerBound
      return (0..<band.density).map { _ in
        var frequency = (band.frequencies.lowerBound + width * random.nextUnit()) * pitch
        while frequency > highest {
          frequency /= 2
        }
        return Partial(
          frequency: frequency, amplitude: amplitude, phase: random.nextUnit(),
          decay: band.decay * stretch, start: band.start * stretch)
      }
    }
    return tones + noises
  }
}
