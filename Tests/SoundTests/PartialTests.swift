import Testing

@testable import Sound

@Suite struct PartialTests {
  private func samples(_ partial: Partial, frames: Int, sampleRate: Int = 48_000) -> [Float] {
    var sum = [Double](repeating: 0, count: frames)
    partial.add(to: &sum, sampleRate: sampleRate)
    return sum.map(Float.init)
  }

  @Test("A partial has its frequency", arguments: [60.0, 997, 12_345], [44_100, 192_000])
  func frequency(hertz: Double, rate: Int) {
    let partial = Partial(frequency: hertz, amplitude: 1, decay: 10)
    #expect(abs(pitch(samples(partial, frames: rate, sampleRate: rate), sampleRate: rate) / hertz - 1) < 1e-4)
  }

  @Test("A partial falls by 60 dB in its decay time, and evenly all the way")
  func decay() {
    let sound = samples(Partial(frequency: 1000, amplitude: 1, decay: 0.2), frames: 9600 + 48)
    let start = peak(sound[480..<528])
    for tenth in 1...9 {
      let later = peak(sound[(480 + tenth * 960)..<(528 + tenth * 960)])
      #expect(abs(decibels(later / start) + 6 * Double(tenth)) < 0.05)
    }
  }

  @Test("A partial comes up from zero at its start, whatever its phase", arguments: [0, 0.25, 0.6])
  func attack(phase: Double) {
    let partial = Partial(frequency: 3000, amplitude: 1, phase: phase, decay: 1, start: 0.001)
    let sound = samples(partial, frames: 480)
    #expect(sound[..<49].allSatisfy { $0 == 0 })
    #expect(abs(sound[49]) < 0.03)
    #expect(peak(sound[49..<96]) > 0.9)
  }

  @Test("A partial that starts after the end adds nothing")
  func late() {
    #expect(
      samples(Partial(frequency: 100, amplitude: 1, decay: 1, start: 1), frames: 480).allSatisfy { $0 == 0 })
  }
}
