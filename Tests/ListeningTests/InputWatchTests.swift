import Engine
import HearingBench
import TestNumbers
import Testing
import TimeCheck

@testable import Listening

@Suite struct InputWatchTests {
  /// The faults reported for some seconds of a sound, in periods of 256 samples.
  private func faults(
    _ seconds: Double, mode: ListeningSetup.Mode = .mic, _ sample: (Int) -> Float
  ) -> [InputWatch.Fault] {
    var watch = InputWatch(sampleRate: 48_000, mode: mode)
    let samples = (0..<Int(seconds * 48_000)).map(sample)
    return stride(from: 0, to: samples.count, by: 256).flatMap {
      watch.look(at: Array(samples[$0..<min($0 + 256, samples.count)]))
    }
  }

  @Test func `Samples that are not numbers are reported once while they last`() {
    #expect(faults(60) { $0 % 1_000 == 0 ? .nan : 0.1 } == [.noNumbers])
    #expect(faults(60) { $0 == 70_000 ? .infinity : 0 } == [.noNumbers])
    // They were gone for a while.
    #expect(faults(60) { $0 == 70_000 || $0 == 1_000_000 ? -.infinity : 0 } == [.noNumbers, .noNumbers])
  }

  @Test func `Feedback, hum at full scale and direct current are reported as steady sounds`() {
    var generator = Generator(seed: 6)
    #expect(faults(30) { $0 % 48 < 24 ? 0.9 : -0.9 } == [.steady])
    #expect(faults(30) { _ in 1 } == [.steady])
    #expect(faults(30) { _ in Float.random(in: -1...1, using: &generator) } == [.steady])
    #expect(faults(1.9) { _ in 0.9 } == [])
    // What is only recorded may be loud.
    #expect(faults(30, mode: .record) { _ in 0.9 } == [])
  }

  @Test func `Clipping strokes are reported once, and not for a trigger`() {
    func clipped(_ frame: Int) -> Float { frame % 24_000 < 20 ? 1 : 0 }
    #expect(faults(60, clipped) == [.clipped])
    #expect(faults(60, mode: .trigger, clipped) == [])
    // A converter's largest number is a little less than 1.
    #expect(faults(60) { clipped($0) * 32_767 / 32_768 } == [.clipped])
    // Now and then one clips.
    #expect(faults(60) { $0 % 480_000 < 20 ? 1 : 0 } == [])
  }

  @Test func `Playing a whole kit causes no fault`() {
    for one in HearingCase.all where Hearing.isPossible(one) {
      var watch = InputWatch(sampleRate: 48_000, mode: .mic)
      #expect(watch.look(at: Hearing.samples(one, count: 100)) == [], "\(one.name)")
    }
  }

  @Test func `The listener names the input`() {
    let capture = Capture.make(inputs: 2, sampleRate: 48_000)
    let setup = ListeningSetup(
      inputs: [.init(name: "kick", mode: .trigger), .init(name: "room", mode: .mic)], hasNotes: false)
    var bank = DetectorBank(capture, setup)
    let (silence, broken) = ([Float](repeating: 0, count: 4_800), [Float](repeating: .nan, count: 4_800))
    silence.withUnsafeBufferPointer { silence in
      broken.withUnsafeBufferPointer { broken in
        var inputs: [UnsafePointer<Float>?] = [silence.baseAddress, broken.baseAddress]
        capture.pointee.receive(&inputs, frames: 4_800, clock: 0, sampleRate: 48_000)
      }
    }
    let faults = bank.listen().faults
    #expect(faults.count == 1 && faults[0].hasPrefix("listen-room receives samples that are not numbers"))
  }
}
