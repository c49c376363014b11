import HearingBench
import MusicTime
import TestNumbers
import Testing
import TimeCheck

import func Glibc.exp
import func Glibc.sin

@testable import Listening

@Suite struct DetectorTests {
  /// Runs a detector on a take in periods.
  static func receive(_ take: RenderedTake, _ detector: some HitDetector, period: Int = 256) -> [DetectedHit]
  {
    var detector = detector
    return stride(from: 0, to: take.samples.count, by: period).flatMap { start in
      detector.receive(
        Array(take.samples[start..<min(start + period, take.samples.count)]), at: ClockFrame(Int64(start)))
    }
  }

  /// Single strokes of five strengths, 150 to 400 ms apart.
  static func take(_ drum: [Float], count: Int = 200, seed: UInt64 = 3) -> RenderedTake {
    var take = RenderedTake(seconds: Double(count) * 0.3 + 1)
    var generator = Generator(seed: seed)
    var frame = 24_000
    for _ in 0..<count {
      take.strike(drum, at: frame, gain: [0.06, 0.12, 0.25, 0.5, 0.9].randomElement(using: &generator)!)
      frame += generator.number(9_600...19_200)
    }
    return take
  }

  static func gated(_ hits: [DetectedHit]) -> [Int64] {
    var gate = HitGate(sampleRate: 48_000)
    return hits.filter {
      gate.admits(Hit(frame: $0.frame, source: .input(0), strength: $0.strength))
    }.map(\.frame.number)
  }

  #if Listening
    @Test(arguments: SynthesisedDrum.allCases)
    func `A microphone hears single drums with F of 0.99`(drum: SynthesisedDrum) throws {
      let take = DetectorTests.take(drum.samples())
      let score = Score(
        DetectorTests.gated(DetectorTests.receive(take, try #require(MicDetector(sampleRate: 48_000)))),
        take.truth)
      print(
        "mic \(drum): missed \(score.missed) extra \(score.extra) bias \(score.bias) spread \(score.spread)")
      #expect(score.f >= 0.99)
      #expect(score.spread < 1.5)
    }

    @Test(arguments: [SynthesisedDrum.snare, .kick, .hiHat, .tom], [Float(4), 10])
    func `With click bleed a stroke near the click is reported at its beginning`(
      drum: SynthesisedDrum, louder: Float
    ) throws {
      let bleed: Float = 0.07
      let click = (0..<2_400).map { frame in
        let t = Double(frame) / 48_000
        return Float(sin(2 * .pi * 1_000 * t) * exp(-t * 138.2))
      }
      var take = RenderedTake(seconds: 102)
      // From 4 ms before the click to 16 ms after it.
      for number in 0..<160 {
        let onset = 24_000 + number * 28_800
        take.add(click, at: onset, gain: bleed)
        take.strike(drum.samples(), at: onset - 192 + number * 6, gain: bleed * louder)
      }
      let detector = try #require(MicDetector(sampleRate: 48_000))
      detector.bleed = bleed
      let hits = DetectorTests.receive(take, detector).filter { $0.strength > 2 * bleed }
      let errors = take.truth.map { onset in
        hits.map { Double($0.frame.number - Int64(onset)) / 48 }.min { abs($0) < abs($1) } ?? .infinity
      }
      // A kick may be lost in the click.
      #expect(errors.count { abs($0) > 3 } <= 2, "\(errors)")
      #expect(errors.count { abs($0) > 1.5 } <= 16, "\(errors)")
    }

    @Test func `A microphone's hits do not depend on the period`() throws {
      let take = DetectorTests.take(SynthesisedDrum.snare.samples(), count: 40)
      let hits = try [1, 64, 173, 1_024].map {
        DetectorTests.receive(take, try #require(MicDetector(sampleRate: 48_000)), period: $0)
      }
      #expect(hits.allSatisfy { $0 == hits[0] })
    }

    @Test func `Silence, constants and damaged samples are no strokes`() throws {
      for value: Float in [0, 1, -1, .nan, .infinity, 1e30] {
        var take = RenderedTake(seconds: 5)
        take.samples = take.samples.map { _ in value }
        let hits = DetectorTests.receive(take, try #require(MicDetector(sampleRate: 48_000)))
        #expect(hits.isEmpty, "\(value)")
      }
    }

    @Test func `A microphone hears on after damaged samples`() throws {
      var take = DetectorTests.take(SynthesisedDrum.snare.samples(), count: 40)
      for index in 0..<2_000 { take.samples[index] = index % 2 == 0 ? .nan : -.infinity }
      let score = Score(
        DetectorTests.gated(DetectorTests.receive(take, try #require(MicDetector(sampleRate: 48_000)))),
        take.truth)
      #expect(score.missed == 0)
    }
  #endif

  @Test func `A trigger hears single strokes within half a millisecond`() {
    let take = DetectorTests.take(SynthesisedDrum.rim.samples())
    let score = Score(
      DetectorTests.receive(take, TriggerDetector(sampleRate: 48_000)).map(\.frame.number), take.truth)
    #expect(score.f >= 0.99)
    #expect(abs(score.bias) < 0.5)
    #expect(score.spread < 0.5)
  }

  #if Listening
    @Test(
      .enabled(if: DrumKit.isInstalled, "hydrogen-data is not installed"),
      arguments: ["Snare", "Kick", "HatClosed", "SideStick"])
    func `A microphone hears recorded single drums with F of 0.99`(name: String) throws {
      let velocities = DrumKit.drum(name + "-")
      try #require(velocities.count >= 3)
      var take = RenderedTake(seconds: 92)
      var generator = Generator(seed: 11)
      var frame = 24_000
      // As loud as they were recorded: softest first is not needed, as each has a gain of its own.
      while take.truth.count < 300 {
        let velocity = velocities.randomElement(using: &generator)!
        take.strike(velocity, at: frame, gain: [0.1, 0.2, 0.4, 0.7, 0.95].randomElement(using: &generator)!)
        frame += generator.number(7_200...21_600)
      }
      let score = Score(
        DetectorTests.gated(DetectorTests.receive(take, try #require(MicDetector(sampleRate: 48_000)))),
        take.truth)
      print(
        "kit \(name): missed \(score.missed) extra \(score.extra) bias \(score.bias) spread \(score.spread)")
      #expect(score.f >= 0.99)
      #expect(abs(score.bias) < 1)
      #expect(score.spread < 1)
    }
  #endif

  @Test func `A trigger's echo is no stroke, and a stroke after it is`() {
    var take = RenderedTake(seconds: 2, noise: 0)
    let pulse = (0..<480).map { Float(1) - Float($0) / 480 }
    take.strike(pulse, at: 10_000, gain: 1)
    take.add(pulse, at: 11_200, gain: 0.2)
    take.strike(pulse, at: 20_000, gain: 0.2)
    #expect(
      DetectorTests.receive(take, TriggerDetector(sampleRate: 48_000)).map(\.frame) == [10_000, 20_000])
  }

  @Test func `A trigger that hears the click hears strokes as soft as it, and strokes just after it`() {
    var take = RenderedTake(seconds: 2, noise: 0)
    take.strike([1, 0.5, 0.25], at: 10_000, gain: 0.1)
    take.strike([1, 0.5, 0.25], at: 10_480, gain: 0.5)
    take.strike([1, 0.5, 0.25], at: 30_000, gain: 0.1)
    var detector = TriggerDetector(sampleRate: 48_000)
    detector.bleed = 0.1
    #expect(DetectorTests.receive(take, detector).map(\.frame) == [10_000, 10_480, 30_000])
  }

  @Test func `A trigger's controls do what a drum module's do`() {
    func heard(_ change: (inout TriggerControls) -> Void) -> [Int64] {
      var take = RenderedTake(seconds: 2, noise: 0)
      let pulse = (0..<480).map { Float(1) - Float($0) / 480 }
      take.strike(pulse, at: 10_000, gain: 0.8)
      take.add(pulse, at: 11_200, gain: 0.3)
      take.strike(pulse, at: 20_000, gain: 0.04)
      take.strike(pulse, at: 24_000, gain: 0.8)
      var controls = TriggerControls()
      change(&controls)
      return DetectorTests.receive(take, TriggerDetector(controls, sampleRate: 48_000)).map(\.frame.number)
    }
    #expect(heard { _ in } == [10_000, 20_000, 24_000])
    #expect(heard { $0.threshold = -20 } == [10_000, 24_000])
    #expect(heard { $0.mask = 20 } == [10_000, 11_200, 20_000, 24_000])
    #expect(heard { ($0.mask, $0.retriggerCancel) = (20, 1) } == [10_000, 20_000, 24_000])
    #expect(heard { $0.mask = 500 } == [10_000])
  }

  @Test func `The scan time finds the peak of a stroke that rises slowly`() {
    var take = RenderedTake(seconds: 1, noise: 0)
    let pulse = (0..<480).map { frame in
      let (rise, fall) = (Float(min(frame, 240)) / 240, 1 - Float(frame) / 480)
      return 2 * rise * fall
    }
    take.strike(pulse, at: 10_000, gain: 0.5)
    func strength(_ scan: Double) -> Float {
      var controls = TriggerControls()
      controls.scan = scan
      return DetectorTests.receive(take, TriggerDetector(controls, sampleRate: 48_000)).first?.strength ?? 0
    }
    #expect(strength(0.5) < 0.5 * strength(6))
  }

  /// A drum that rings for some seconds until it is 60 dB softer; two of its partials beat some times a second.
  private static func ringing(_ pitch: Double, seconds: Double, beats: Double, depth: Double) -> [Float] {
    var generator = Generator(seed: 5)
    return (0..<Int(1.8 * 48_000)).map { frame in
      let t = Double(frame) / 48_000
      let ring = sin(2 * .pi * pitch * t + 1.2) + depth * sin(2 * .pi * (pitch + beats) * t)
      let stroke = 0.4 * Double.random(in: -1...1, using: &generator) * exp(-t / 0.004)
      return Float(min(1, Double(frame + 1) / 24) * (ring * exp(-6.9 * t / seconds) + stroke) / (1 + depth))
    }
  }

  @Test(arguments: [90, 140, 220], [0.3, 0.7, 1.5])
  func `A stroke on a drum that rings and beats is one hit`(pitch: Double, seconds: Double) {
    for beats in [0, 5, 11, 19.0] {
      let drum = DetectorTests.ringing(pitch, seconds: seconds, beats: beats, depth: 0.5)
      var take = RenderedTake(seconds: 42)
      for number in 0..<20 {
        take.strike(drum, at: 24_000 + number * 96_000, gain: [0.12, 0.25, 0.5, 0.9][number % 4])
      }
      let score = Score(
        DetectorTests.receive(take, TriggerDetector(sampleRate: 48_000)).map(\.frame.number), take.truth)
      #expect(score.missed == 0 && score.extra == 0, "\(beats): \(score)")
      #expect(score.spread < 0.5)
    }
  }

  @Test(arguments: [0.3, 0.7, 1.5])
  func `A stroke on a cymbal is one hit`(seconds: Double) {
    var generator = Generator(seed: 5)
    let cymbal = (0..<Int(1.8 * 48_000)).map { frame in
      let t = Double(frame) / 48_000
      return Float(min(1, Double(frame + 1) / 24) * exp(-6.9 * t / seconds))
        * Float.random(in: -1...1, using: &generator)
    }
    var take = RenderedTake(seconds: 42)
    for number in 0..<20 {
      take.strike(cymbal, at: 24_000 + number * 96_000, gain: [0.12, 0.25, 0.5, 0.9][number % 4])
    }
    let score = Score(
      DetectorTests.receive(take, TriggerDetector(sampleRate: 48_000)).map(\.frame.number), take.truth)
    #expect(score.missed == 0 && score.extra == 0, "\(score)")
  }

  @Test func `Further strokes on a drum that still rings are detected`() {
    let drum = DetectorTests.ringing(140, seconds: 0.3, beats: 7, depth: 0.5)
    var take = RenderedTake(seconds: 22)
    // Sixteenths at 120 beats a minute.
    for number in 0..<160 { take.strike(drum, at: 24_000 + number * 6_000, gain: 0.5) }
    let score = Score(
      DetectorTests.receive(take, TriggerDetector(sampleRate: 48_000)).map(\.frame.number), take.truth)
    #expect(score.f >= 0.99, "\(score)")
  }

  @Test(
    .enabled(if: DrumKit.isInstalled, "hydrogen-data is not installed"),
    arguments: [
      "Kick-", "Snare-", "SnareRimshot", "Tom1", "Tom2", "TomFloor", "HatClosed", "HatOpen", "HatSemiOpen",
      "Ride-",
      "Bell", "Crash-H", "Crash-Med", "Cowbell", "SideStick",
    ])
  func `A stroke on a recorded drum is one hit, however long it sounds`(name: String) {
    let velocities = DrumKit.drum(name)
    var take = RenderedTake(seconds: 75)
    for number in 0..<25 {
      take.strike(
        velocities[number % velocities.count], at: 24_000 + number * 144_000,
        gain: [0.12, 0.5, 0.9][number % 3])
    }
    let score = Score(
      DetectorTests.receive(take, TriggerDetector(sampleRate: 48_000)).map(\.frame.number), take.truth)
    #expect(score.missed == 0 && score.extra == 0, "\(score)")
  }

  @Test func `A trigger ignores a constant`() {
    var take = RenderedTake(seconds: 1, noise: 0)
    take.samples = take.samples.map { _ in 0.5 }
    // The step at the beginning is a pulse of its own.
    #expect(DetectorTests.receive(take, TriggerDetector(sampleRate: 48_000)).count <= 1)
  }
}
