import Engine
import Foundation
import MusicTime
import Testing

@testable import Sound

/// Sounds in which a voice or a folder's files count.
@Suite struct CountingVoiceTests {
  private static let rate = 48_000

  /// A word: a consonant of noise, and a vowel that decays.
  private func word(consonant: Double, vowel: Double = 0.2, peak: Float = 0.6) -> [Float] {
    var numbers = SplitMix64(seed: 1)
    let noise = (0..<Int(consonant * 48_000)).map { _ in Float.random(in: -0.1...0.1, using: &numbers) }
    let tone = (0..<Int(vowel * 48_000)).map { frame -> Float in
      let seconds = Double(frame) / 48_000
      return peak * Float(sin(2 * Double.pi * 200 * seconds) * exp(-seconds / 0.2))
    }
    return noise + tone
  }

  @Test(arguments: [0, 0.03, 0.08, 0.1, 0.3])
  func `A word begins a moment before its vowel, however long its consonant`(consonant: Double) {
    let aligned = SpokenNumber.aligned(word(consonant: consonant), sampleRate: Self.rate)
    let vowel = Double(SpokenNumber.vowel(of: aligned, sampleRate: Self.rate)) / 48_000
    // The level is known to a window of 5 ms.
    #expect(vowel <= SpokenNumber.lead + 0.005)
    #expect(vowel >= min(consonant, SpokenNumber.lead) - 0.005)
    #expect(aligned.first == 0)
    #expect(aligned.count == Int(0.2 * 48_000) + min(Int(consonant * 48_000), aligned.count - 9_600))
  }

  @Test func `Silence and nothing stay what they are`() {
    #expect(SpokenNumber.aligned([], sampleRate: Self.rate).isEmpty)
    #expect(SpokenNumber.aligned([0, 0], sampleRate: Self.rate) == [0, 0])
    #expect(SpokenNumber.levelled([0, 0]) == [0, 0])
    #expect(!SpokenNumber.isNumber("") && !SpokenNumber.isNumber("1a") && SpokenNumber.isNumber("12"))
  }

  @Test(arguments: CountingVoice.allCases)
  func `Every number is spoken once, as loud as a built-in accent; the rest is the sine`(voice: CountingVoice)
    throws
  {
    var spoken: [String] = []
    let source = try SoundSource(voice.name)
    #expect(source.name == voice.name)
    let clips = try source.clips(sampleRate: Self.rate) { text in
      spoken.append(text)
      return Clip([0.1, Float(spoken.count) / 100, -0.05])
    }
    #expect(spoken == (1...CountingVoice.numbers).map(String.init))
    let count = try #require(clips.count)
    #expect(count.clips.count == CountingVoice.numbers && count.countsBars == (voice == .bars))
    for clip in count.clips { #expect(abs((clip.samples.map(abs).max() ?? 0) - 0.7) < 1e-6) }
    let sine = BuiltInSound.sine.kit.clips(sampleRate: Self.rate)
    for role in ClickRole.allCases { #expect(clips[role].copy == sine[role].copy) }
  }

  @Test func `A voice that can't speak makes no set`() throws {
    #expect(throws: SpeechError.self) {
      try SoundSource("voice").clips(sampleRate: Self.rate) { _ in throw SpeechError.missing }
    }
  }

  @Test func `Files with numbers count, and stand in where accent and beat are missing`() throws {
    let folder = try TemporaryFolder()
    for number in 1...3 { try folder.write("\(number).wav", [0, Float(number) / 4, 0]) }
    let clips = try SampleFolder(folder.path).clips(sampleRate: Self.rate)
    let count = try #require(clips.count)
    #expect(count.clips.map { $0.copy[1] } == [0.25, 0.5, 0.75] && !count.countsBars)
    #expect(clips[.beat] === count.clips[0] && clips[.accent] === count.clips[0])
    try folder.write("beat.wav", [0, 1, 0])
    let both = try SampleFolder(folder.path).clips(sampleRate: Self.rate)
    #expect(both[.beat].copy[1] == 1 && both.count?.clips.count == 3)
  }

  @Test func `A folder that leaves a number out is refused, and so are two files of one number`() throws {
    let folder = try TemporaryFolder()
    for number in [1, 2, 4] { try folder.write("\(number).wav", [0, 0.5, 0]) }
    var error = #expect(throws: SoundError.self) {
      try SampleFolder(folder.path).clips(sampleRate: Self.rate)
    }
    #expect(error == SoundError(path: folder.path, .missingNumber(3, of: 4)))
    try folder.write("03.wav", [0, 0.5, 0])
    #expect(try SampleFolder(folder.path).clips(sampleRate: Self.rate).count?.clips.count == 4)
    try folder.write("3.flac", [0, 0.5, 0])
    error = #expect(throws: SoundError.self) { try SampleFolder(folder.path).clips(sampleRate: Self.rate) }
    #expect(error == SoundError(path: folder.file("3.flac"), .sameRole(as: folder.file("03.wav"))))
    #expect(SampleFolder.place(ofFile: "0.wav") == nil && SampleFolder.place(ofFile: "100.wav") == nil)
  }
}
