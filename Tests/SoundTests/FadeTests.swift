import Testing

@testable import Sound

@Suite struct FadeTests {
  @Test("A fade goes from exactly zero to one without a step")
  func smooth() {
    var samples = [Float](repeating: 1, count: 100)
    Fade.fadeIn(&samples, frames: 24)
    #expect(samples[0] == 0)
    #expect(samples[24...].allSatisfy { $0 == 1 })
    let steps = zip(samples, samples.dropFirst()).map { $1 - $0 }
    #expect(steps.allSatisfy { $0 >= 0 && $0 < 0.07 })
  }

  @Test("A fade out is a fade in, backwards")
  func mirrored() {
    var (up, down) = ([Float](repeating: 1, count: 50), [Float](repeating: 1, count: 50))
    Fade.fadeIn(&up, frames: 13)
    Fade.fadeOut(&down, frames: 13)
    #expect(down == up.reversed())
  }

  @Test("A fade longer than the clip takes the whole clip", arguments: [0, 1, 2, 5])
  func short(count: Int) {
    var samples = [Float](repeating: 1, count: count)
    Fade.fadeIn(&samples, frames: 100)
    #expect(samples.count == count && (samples.first ?? 0) == 0)
    samples = [Float](repeating: 1, count: count)
    Fade.fadeOut(&samples, frames: 100)
    #expect((samples.last ?? 0) == 0)
  }

  @Test("Declicking leaves a clip with silent ends as it is")
  func silentEnds() {
    var samples: [Float] = [0, 0.9, -0.9, 0.5, 0]
    Fade.declick(&samples, sampleRate: 48_000)
    #expect(samples == [0, 0.9, -0.9, 0.5, 0])
  }

  @Test("Declicking touches half a millisecond at the start and two at the end")
  func loudEnds() {
    var samples = [Float](repeating: 0.8, count: 480)
    Fade.declick(&samples, sampleRate: 48_000)
    #expect(samples.first == 0 && samples.last == 0)
    #expect(samples[24..<(480 - 96)].allSatisfy { $0 == 0.8 })
    #expect(samples[23] < 0.8 && samples[480 - 96] < 0.8)
  }
}
