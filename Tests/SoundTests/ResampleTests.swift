import Testing

@testable import Sound

@Suite struct ResampleTests {
  @Test(
    "A resampled tone keeps its pitch, length and level",
    arguments: [8000, 22_050, 44_100, 48_000, 96_000, 192_000], [44_100, 48_000, 192_000])
  func tones(from: Int, to: Int) {
    let samples = resample(tone(1000, frames: from / 2, sampleRate: from), from: from, to: to)
    #expect(samples.count == to / 2)
    let middle = samples[(to / 8)..<(to * 3 / 8)]
    #expect(abs(pitch(middle, sampleRate: to) - 1000) < 0.01)
    #expect(abs(peak(middle) - 0.5) < 0.003)
  }

  @Test("An onset stays where it is in time", arguments: [44_100, 96_000, 192_000])
  func onset(rate: Int) {
    // A bell's loudest moment, as its centre of energy.
    let center = { (samples: [Float]) in
      let energy = samples.reduce(0.0) { $0 + Double($1 * $1) }
      return samples.enumerated().reduce(0.0) { $0 + Double($1.0) * Double($1.1 * $1.1) } / energy
    }
    let source = bell(2000, frames: 4801, sampleRate: 48_000)
    let samples = resample(source, from: 48_000, to: rate)
    #expect(abs(center(samples) / Double(rate) - center(source) / 48_000) < 1e-6)
  }

  @Test("What is above half the new rate goes, and does not fold down")
  func antialiasing() {
    let samples = resample(tone(30_000, frames: 96_000, sampleRate: 96_000), from: 96_000, to: 44_100)
    #expect(peak(samples[4410..<(44_100 - 4410)]) < 1e-4)
  }

  @Test("At the same rate the samples come back bit by bit")
  func same() {
    let source = tone(440, frames: 777, sampleRate: 48_000)
    #expect(resample(source, from: 48_000, to: 48_000) == source)
  }

  @Test("The shortest clips come through", arguments: [1, 2, 3])
  func short(count: Int) {
    let source = [Float](repeating: 0.5, count: count)
    #expect(resample(source, from: 192_000, to: 44_100).count == 1)
    #expect(resample(source, from: 44_100, to: 192_000).count == Int((Double(count) * 192 / 44.1).rounded()))
    #expect(resample([], from: 44_100, to: 48_000).isEmpty)
  }
}
