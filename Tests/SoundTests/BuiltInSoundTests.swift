import Engine
import Foundation
import MusicTime
import Testing

@testable import Sound

private let rates = [44_100, 48_000, 88_200, 96_000, 192_000]

@Suite struct BuiltInSoundTests {
  private func clips(_ sound: BuiltInSound, _ rate: Int = 48_000) throws -> ClipSet {
    try SoundSource.builtIn(sound).clips(sampleRate: rate)
  }

  @Test("The built-in sets have the names that users type")
  func names() {
    #expect(
      BuiltInSound.allCases.map(\.name)
        == ["sine", "square", "woodblock", "clave", "tambourine", "hi-hat", "cowbell", "beep", "pulse"])
  }

  @Test(
    "The sine's roles have their pitches at every rate",
    arguments: [(ClickRole.accent, 1200.0), (.beat, 1000), (.subdivision, 800), (.cue, 1600)], rates)
  func sinePitch(role: (ClickRole, Double), rate: Int) throws {
    let samples = try clips(.sine, rate)[role.0].copy
    #expect(abs(pitch(samples.prefix(rate * 45 / 1000), sampleRate: rate) / role.1 - 1) < 0.002)
  }

  @Test("The sine decays exponentially: 12 dB each 10 ms, 60 dB over its 50 ms", arguments: rates)
  func sineDecay(rate: Int) throws {
    let samples = try clips(.sine, rate)[.beat].copy
    #expect(samples.count == rate / 20)
    // Whole periods of 1 kHz, before the fade at the end.
    let levels = stride(from: 0, through: 4, by: 1).map { step in
      decibels(
        magnitude(
          samples[(rate * (1 + 10 * step) / 1000)..<(rate * (4 + 10 * step) / 1000)],
          at: 1000, sampleRate: rate))
    }
    for (level, next) in zip(levels, levels.dropFirst()) {
      #expect(abs(next - level + 12) < 0.2)
    }
  }

  @Test(
    "The pulse's beat has 1000 Hz, its accent 1200 Hz, for 50 ms, and decays by exp(−t / 15 ms)",
    arguments: rates)
  func pulse(rate: Int) throws {
    let clips = try clips(.pulse, rate)
    for (role, pitch) in [(ClickRole.beat, 1000.0), (.accent, 1200)] {
      let samples = clips[role].copy
      #expect(samples.count == rate / 20)
      // Whole periods, between the fades at the ends.
      let levels = (1..<4).map { step in
        magnitude(
          samples[(rate * step / 100)..<(rate * (step + 1) / 100)], at: pitch, sampleRate: rate)
      }
      for (level, next) in zip(levels, levels.dropFirst()) {
        #expect(abs(log(level / next) - 10.0 / 15) < 0.01, "\(role)")
      }
    }
  }

  @Test("No clip clicks at its ends", arguments: BuiltInSound.allCases, rates)
  func ends(sound: BuiltInSound, rate: Int) throws {
    let clips = try clips(sound, rate)
    for role in ClickRole.allCases {
      let samples = clips[role].copy
      #expect(samples.first == 0 && samples.last == 0, "\(role)")
      // What a twentieth of a millisecond may bring at either end, against a peak of 0.7.
      #expect(peak(samples.prefix(rate / 20_000)) < 0.06, "\(role)")
      #expect(peak(samples.suffix(rate / 20_000)) < 0.001, "\(role)")
    }
  }

  @Test("An onset is crisp: the peak comes within two milliseconds", arguments: BuiltInSound.allCases, rates)
  func onset(sound: BuiltInSound, rate: Int) throws {
    let clips = try clips(sound, rate)
    for role in ClickRole.allCases {
      let samples = clips[role].copy
      #expect(peak(samples.prefix(rate / 500)) == peak(samples), "\(role)")
    }
  }

  @Test("The accent peaks at 0.7 and nothing is louder", arguments: BuiltInSound.allCases, rates)
  func peaks(sound: BuiltInSound, rate: Int) throws {
    let clips = try clips(sound, rate)
    #expect(abs(peak(clips[.accent].copy) - 0.7) < 1e-5)
    #expect(ClickRole.allCases.allSatisfy { peak(clips[$0].copy) <= 0.7001 })
  }

  @Test(
    "Accent, beat and subdivision differ by 2 dB or more, and in pitch or length",
    arguments: BuiltInSound.allCases)
  func distinct(sound: BuiltInSound) throws {
    let clips = try clips(sound)
    let kit = sound.kit
    for (louder, softer) in [(ClickRole.accent, ClickRole.beat), (.beat, .subdivision)] {
      let energy = { (role: ClickRole) in clips[role].copy.reduce(0.0) { $0 + Double($1 * $1) } }
      #expect(10 * (energy(louder) / energy(softer)).logarithm10 > 2, "\(louder) \(softer)")
      let interval = max(kit[louder].pitch / kit[softer].pitch, kit[softer].pitch / kit[louder].pitch)
      #expect(interval > 1.1, "\(louder) \(softer)")
    }
  }

  @Test("A set is the same each time it is made", arguments: BuiltInSound.allCases)
  func deterministic(sound: BuiltInSound) throws {
    let (one, two) = (try clips(sound), try clips(sound))
    for role in ClickRole.allCases {
      #expect(one[role].copy == two[role].copy)
    }
  }

  @Test("A set is the same sound at each rate, noise included", arguments: BuiltInSound.allCases)
  func sameAtEachRate(sound: BuiltInSound) throws {
    let (low, high) = (try clips(sound, 48_000), try clips(sound, 192_000))
    for role in ClickRole.allCases {
      // Each fourth sample of the fast one, at the level of the slow one: peaks fall between samples.
      let slow = low[role].copy
      let all = high[role].copy
      let fast = (0..<slow.count).map { all[4 * $0] }
      let product = zip(slow, fast).reduce(0.0) { $0 + Double($1.0 * $1.1) }
      let norms = [slow, fast].map { $0.reduce(0.0) { $0 + Double($1 * $1) } }
      #expect(product / (norms[0] * norms[1]).squareRoot() > 0.998, "\(role)")
    }
  }

  @Test("The square has odd harmonics, no even ones, and none that alias")
  func square() throws {
    let samples = try clips(.square, 44_100)[.beat].copy.prefix(44_100 * 40 / 1000)
    let level = {
      magnitude(samples, at: $0, sampleRate: 44_100) / magnitude(samples, at: 1000, sampleRate: 44_100)
    }
    #expect(abs(level(3000) - 1 / 3.0) < 0.02)
    #expect(abs(level(9000) - 1 / 9.0) < 0.02)
    // A damped tone spreads a little; an even harmonic would be at half.
    #expect(level(2000) < 0.05)
    // 23 kHz and 25 kHz would fold to 21.1 kHz and 19.1 kHz.
    #expect(level(21_100) < 0.01 && level(19_100) < 0.01)
  }

  @Test(
    "A struck sound rings at its modes",
    arguments: [
      (BuiltInSound.woodblock, [860.0, 2240]), (.clave, [2500]), (.cowbell, [540, 800]), (.beep, [880]),
    ])
  func modes(sound: BuiltInSound, modes: [Double]) throws {
    let samples = try clips(sound)[.beat].copy.prefix(1920)
    for mode in modes {
      let here = magnitude(samples, at: mode, sampleRate: 48_000)
      #expect(here > 3 * magnitude(samples, at: mode * 0.8, sampleRate: 48_000), "\(mode)")
      #expect(here > 3 * magnitude(samples, at: mode * 1.2, sampleRate: 48_000), "\(mode)")
    }
  }

  @Test("Hi-hat and tambourine are bright", arguments: [BuiltInSound.hiHat, .tambourine])
  func bright(sound: BuiltInSound) throws {
    let samples = try clips(sound)[.beat].copy
    let energy = { (range: StrideThrough<Double>) in
      range.reduce(0.0) { $0 + pow2(magnitude(samples, at: $1, sampleRate: 48_000)) }
    }
    let low = energy(stride(from: 100, through: 2000, by: 20))
    let high = energy(stride(from: 6000, through: 14_000, by: 20))
    #expect(high > 5 * low)
  }

  @Test("Sets can be made at rates far below those of a studio", arguments: BuiltInSound.allCases)
  func lowRate(sound: BuiltInSound) throws {
    let clips = try clips(sound, 8000)
    #expect(
      ClickRole.allCases.allSatisfy { clips[$0].copy.allSatisfy(\.isFinite) && peak(clips[$0].copy) > 0.1 })
  }
}

private func pow2(_ value: Double) -> Double { value * value }

extension Double {
  fileprivate var logarithm10: Double { decibels(self) / 20 }
}
