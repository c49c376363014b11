import Testing

@testable import Sound

@Suite struct SoundErrorTests {
  @Test("A message names the file, what is wrong and what would be right")
  func messages() {
    let text = { (problem: SoundError.Problem) in SoundError(path: "kit/beat.wav", problem).description }
    #expect(text(.tooLong(seconds: 12.34)) == "kit/beat.wav: is 12.4 s long; a sound must be at most 10.0 s")
    #expect(text(.tooManyChannels(65)) == "kit/beat.wav: has 65 channels; a sound file must have at most 64")
    #expect(text(.sampleRate(1)) == "kit/beat.wav: has a sample rate of 1 Hz; must be 2000 to 768000")
    #expect(
      text(.tooLarge(bytes: 100_000_001))
        == "kit/beat.wav: has 100000001 bytes; a sound file must have at most 100000000")
    #expect(text(.sameRole(as: "kit/beat.ogg")).contains("kit/beat.ogg"))
    #expect(text(.notAFolder).contains("accent, beat, subdivision and cue"))
  }

  @Test("A length just over the limit does not read as the limit")
  func justOver() {
    #expect(SoundError(path: "a", .tooLong(seconds: 10.00001)).description.contains("10.1 s long"))
  }

  @Test("A length that a damaged header makes up is printed", arguments: [1e30, .infinity])
  func absurd(seconds: Double) {
    #expect(SoundError(path: "a", .tooLong(seconds: seconds)).description.contains("\(seconds) s"))
  }
}
