/// The sound sets that need no files.
///
/// In each the accent is louder than the beat and the beat louder than the subdivision; pitch or length also differ.
package enum BuiltInSound: String, CaseIterable, Sendable {
  /// 1000 Hz beat, 1200 Hz accent, 800 Hz subdivision, 1600 Hz cue; decays exponentially by 60 dB in 50 ms.
  case sine
  /// The pitches of `sine` as a square wave without the harmonics that would alias.
  case square
  case woodblock
  case clave
  case tambourine
  case hiHat = "hi-hat"
  case cowbell
  /// A steady tone of 50 ms, like a practice device's: 880 Hz beat, an octave higher for the accent.
  case beep
  /// 1000 Hz for the beat, 1200 Hz for the accent, 50 ms; the envelope is exp(−t / 15 ms).
  case pulse

  /// The name that users type and read.
  package var name: String { rawValue }
}

extension BuiltInSound {
  var kit: Kit {
    switch self {
    case .sine: Kit(.sine, accent: 1.2, subdivision: 0.8, cue: 1.6)
    case .square: Kit(.square, accent: 1.2, subdivision: 0.8, cue: 1.6)
    case .woodblock: Kit(.woodblock, accent: 1.26, subdivision: 0.75, cue: 1.6)
    case .clave: Kit(.clave, accent: 1.19, subdivision: 0.84, cue: 1.41)
    case .cowbell: Kit(.cowbell, accent: 1.26, subdivision: 0.75, cue: 1.5)
    case .beep: Kit(.beep, accent: 2, subdivision: 0.75, cue: 1.5)
    case .pulse: Kit(.pulse, accent: 1.2, subdivision: 0.8, cue: 1.6)
    // Noise has little pitch, so these roles also differ in length.
    case .tambourine:
      Kit(
        accent: Voicing(timbre: .tambourine, level: 1, stretch: 1.3),
        beat: Voicing(timbre: .tambourine, pitch: 0.9, level: 0.65, stretch: 0.8),
        subdivision: Voicing(timbre: .tambourine, pitch: 1.25, level: 0.35, stretch: 0.4),
        cue: Voicing(timbre: .rim, level: 0.9))
    case .hiHat:
      Kit(
        accent: Voicing(timbre: .hiHat, pitch: 0.85, level: 1, stretch: 2.2),
        beat: Voicing(timbre: .hiHat, level: 0.65),
        subdivision: Voicing(timbre: .hiHat, pitch: 1.25, level: 0.35, stretch: 0.5),
        cue: Voicing(timbre: .rim, level: 0.9))
    }
  }
}

extension Timbre {
  fileprivate static let sine = Timbre(modes: [Mode(1000, decay: 0.05)], length: 0.05)

  fileprivate static let square = Timbre(modes: Mode.square(1000, decay: 0.05), length: 0.05)

  /// A hollow block: the resonance of the slit's air and of the wood, and the knock of the stick.
  fileprivate static let woodblock = Timbre(
    modes: [Mode(860, decay: 0.08), Mode(2240, level: 0.55, decay: 0.04)],
    noise: [NoiseBand(frequencies: 1500...7000, level: 0.25, decay: 0.006)],
    length: 0.08)

  /// A solid bar of hardwood near 2500 Hz; its second bending mode is 2.76 times the first (free bar, Fletcher
  /// and Rossing, section 2.16).
  fileprivate static let clave = Timbre(
    modes: [Mode(2500, decay: 0.06), Mode(6890, level: 0.2, decay: 0.015)],
    noise: [NoiseBand(frequencies: 3000...9000, level: 0.1, decay: 0.004)],
    length: 0.06)

  /// Two square-like tones at 540 and 800 Hz, loud for a moment and then quieter, as in analogue drum machines.
  fileprivate static let cowbell = Timbre(
    modes: Mode.square(540, level: 1, decay: 0.04, slope: 1.2)
      + Mode.square(800, level: 1, decay: 0.04, slope: 1.2)
      + Mode.square(540, level: 0.35, decay: 0.22, slope: 1.6)
      + Mode.square(800, level: 0.45, decay: 0.22, slope: 1.6),
    length: 0.2)

  /// The slap of the frame, then jingles that strike with it and once more.
  fileprivate static let tambourine = Timbre(
    modes: [Mode(420, level: 0.4, decay: 0.03)],
    noise: [
      NoiseBand(frequencies: 2500...14_000, level: 0.8, decay: 0.02),
      NoiseBand(frequencies: 5500...12_000, level: 0.45, decay: 0.14),
      NoiseBand(frequencies: 6500...13_000, level: 0.25, decay: 0.08, start: 0.018, density: 80),
    ],
    length: 0.14)

  /// Two plates of bronze, closed: dense modes from 6 kHz up, and the stick's tip.
  fileprivate static let hiHat = Timbre(
    noise: [
      NoiseBand(frequencies: 3000...14_000, level: 1, decay: 0.012),
      NoiseBand(frequencies: 6000...14_000, level: 0.5, decay: 0.08, density: 160),
    ],
    length: 0.08)

  /// A rim click: a cue that stands out from noise.
  fileprivate static let rim = Timbre(
    modes: [Mode(1700, decay: 0.04), Mode(2680, level: 0.6, decay: 0.03)],
    noise: [NoiseBand(frequencies: 2000...9000, level: 0.2, decay: 0.008)],
    length: 0.045)

  /// A decay by 60 dB takes ln 1000 time constants.
  fileprivate static let pulse = Timbre(modes: [Mode(1000, decay: 0.015 * 6.907_755)], length: 0.05)

  fileprivate static let beep = Timbre(
    modes: [Mode(880, decay: 0.5), Mode(1760, level: 0.15, decay: 0.5)], length: 0.05)
}
