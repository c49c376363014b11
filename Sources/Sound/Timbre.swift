import Glibc

/// What a struck thing sounds like: the modes it rings in, and bands of noise.
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

  /// Noise between two frequencies, as many partials at random pitches and phases.
  struct NoiseBand {
    /// In hertz.
    var frequencies: ClosedRange<Double>
    /// Relative amplitude (root mean square).
    var level: Double
    /// Seconds to −60 dB.
    var decay: Double
    /// Seconds after the strike.
    var start = 0.0
    /// How many partials; the more, the smoother.
    var density = 120
  }

  var modes: [Mode] = []
  var noise: [NoiseBand] = []
  /// In seconds. By then the sound should have nearly died away.
  var length: Double

  /// The highest frequency of any partial, in hertz, so that a set sounds the same from 44.1 kHz up and none aliases.
  static let highestFrequency = 18_000.0

  /// The partials at `pitch` times the frequencies and `stretch` times the durations.
  ///
  /// The same for the same arguments, always: the noise comes from a fixed seed.
  ///
  /// - Parameter highest: in hertz. Tones above it are left out; noise above it comes down by octaves, so that a
  ///   hi-hat can be heard at 8 kHz too.
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
