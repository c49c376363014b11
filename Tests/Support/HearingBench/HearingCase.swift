import TestNumbers
import TimeCheck

import func Glibc.cos
import func Glibc.exp
import func Glibc.log
import func Glibc.pow
import func Glibc.sin

/// A kind of take with known strokes, and the accuracy that detectors must reach.
public struct HearingCase: Sendable {
  public let name: String
  /// The lowest sufficient F (0…1). The mean and the spread must also be within 0.5 and 0.3 ms.
  public let least: Double
  /// Whether the case needs the recorded drums.
  public let isRecorded: Bool
  let make: @Sendable (_ count: Int) -> Performance

  /// A rendered take with its clicks and grid.
  struct Performance {
    var take: RenderedTake
    /// The click's frames, and its peak in the input.
    var clicks: [Int] = []
    var bleed: Float = 0
    /// The onsets for which strokes were meant, one for each stroke of the truth.
    var grid: [Int] = []
  }

  /// The factor of a gain in decibels.
  static func gain(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }

  /// A drummer of known mean and spread on clicks, in frames.
  private static let (mean, spread) = (-7.6, 11.2)

  private static func lateness(_ generator: inout Generator) -> Int {
    let (u, v) = (
      Double.random(in: 0x1p-60..<1, using: &generator), Double.random(in: 0..<1, using: &generator)
    )
    let normal = (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
    return Int((mean + spread * min(max(normal, -3), 3)) * 48)
  }

  /// Plays strokes on clicks with a spacing in frames.
  /// - Parameters:
  ///   - bleed: the click's peak in the input; 0 for none.
  ///   - strokes: the sounds and gains of the strokes on the click with a number.
  private static func play(
    _ count: Int, every interval: Int, bleed: Float = 0, noise: Float = 0.0005,
    _ strokes: (Int, inout Generator) -> [(sound: [Float], gain: Float)]
  ) -> Performance {
    var generator = Generator(seed: 21)
    var performance = Performance(
      take: RenderedTake(seconds: Double(count * interval) / 48_000 + 2, noise: noise), bleed: bleed)
    for number in 0..<count {
      let onset = 48_000 + number * interval
      if bleed > 0 {
        performance.clicks.append(onset)
        performance.take.add(HearingCase.click, at: onset, gain: bleed)
      }
      var isFirst = true
      let frame = onset + lateness(&generator)
      for (sound, gain) in strokes(number, &generator) {
        // Strokes at one moment count as one.
        if isFirst {
          performance.take.strike(sound, at: frame, gain: gain)
          performance.grid.append(onset)
        } else {
          performance.take.add(sound, at: frame, gain: gain)
        }
        isFirst = false
      }
    }
    return performance
  }

  /// Tactus's `sine`: 1 kHz, which decays by 60 dB in 50 ms.
  static let click: [Float] = (0..<2_400).map {
    let t = Double($0) / 48_000
    return Float(sin(2 * .pi * 1_000 * t) * exp(-t * 138.2))
  }

  private static let gains: [Float] = [0.1, 0.2, 0.4, 0.7, 0.95]

  private static func single(
    _ name: String, isRecorded: Bool, bleed: Float = 0, _ sounds: @escaping @Sendable () -> [[Float]]
  ) -> HearingCase {
    HearingCase(name: name, least: 0.99, isRecorded: isRecorded) { count in
      let sounds = sounds()
      return play(count, every: 24_000, bleed: bleed) { _, generator in
        // With the click in the input all strokes are at least twice as loud as the click there.
        let gains = bleed > 0 ? Array(gains.suffix(2)) : gains
        return [(sounds.randomElement(using: &generator)!, gains.randomElement(using: &generator)!)]
      }
    }
  }

  /// Kick, snare and hi-hat as in a rock beat of eighths, at 120 beats a minute: two of them at one moment on each beat.
  private static func beat(bleed: Float = 0) -> @Sendable (Int) -> Performance {
    { count in
      let (kick, snare, hat) = (DrumKit.drum("Kick-"), DrumKit.drum("Snare-"), DrumKit.drum("HatClosed-"))
      return play(count, every: 12_000, bleed: bleed) { number, generator in
        var strokes: [(sound: [Float], gain: Float)] = []
        if number % 8 == 0 || number % 8 == 5 {
          strokes.append((kick.randomElement(using: &generator)!, 0.7))
        }
        if number % 4 == 2 { strokes.append((snare.randomElement(using: &generator)!, 0.6)) }
        return strokes + [(hat.randomElement(using: &generator)!, 0.3)]
      }
    }
  }

  public static let all: [HearingCase] = {
    var all = [SynthesisedDrum.snare, .kick, .hiHat, .tom].map { drum in
      single("\(drum.rawValue), synthesised", isRecorded: false) { [drum.samples()] }
    }
    all += [("Snare", "snare"), ("Kick", "kick"), ("HatClosed", "closed hi-hat")].map { file, name in
      single("\(name), recorded", isRecorded: true) { DrumKit.drum(file + "-") }
    }
    all.append(single("rim click, recorded", isRecorded: true) { DrumKit.drum("SideStick-") })
    all.append(single("rim click, synthesised", isRecorded: false) { [SynthesisedDrum.rim.samples()] })
    all.append(single("brush, a burst of noise", isRecorded: false) { [SynthesisedDrum.brush.samples()] })
    all.append(
      HearingCase(name: "whole kit, recorded", least: 0.97, isRecorded: true, make: beat()))
    all.append(
      HearingCase(
        name: "ghost notes at −30 dB between strokes", least: 0.99, isRecorded: false
      ) { count in
        let snare = SynthesisedDrum.snare.samples()
        return play(count, every: 12_000, noise: 0.0003) { number, _ in
          [(snare, number % 2 == 0 ? 0.8 : 0.8 * gain(-30))]
        }
      })
    all.append(
      HearingCase(name: "roll of 32nds at 200 BPM", least: 0.99, isRecorded: false) { count in
        var generator = Generator(seed: 5)
        var performance = Performance(take: RenderedTake(seconds: Double(count) * 0.0375 + 2))
        for number in 0..<count {
          let frame = 48_000 + number * 1_800
          performance.take.strike(
            SynthesisedDrum.rim.samples(), at: frame + Int.random(in: -96...96, using: &generator), gain: 0.5)
          performance.grid.append(frame)
        }
        return performance
      })
    all.append(
      single("snare, recorded, click at −12 dB", isRecorded: true, bleed: gain(-12) * 0.95) {
        DrumKit.drum("Snare-")
      })
    all.append(
      HearingCase(
        name: "whole kit, recorded, click at −12 dB", least: 0.97, isRecorded: true,
        make: beat(bleed: gain(-12) * 0.3)))
    return all
  }()
}
