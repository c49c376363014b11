import Foundation
import MusicTime
import Testing
import Validation

@testable import Sound

@Suite struct SamplePairTests {
  @Test func `Two files make a set, and its name is read back`() throws {
    let folder = try TemporaryFolder()
    let accent = try folder.write("strong.wav", bell(2000, frames: 4800, sampleRate: 48_000))
    let beat = try folder.write("weak.wav", bell(1000, frames: 2400, sampleRate: 48_000))
    let source = try SoundSource("\(accent),\(beat)")
    #expect(source == .files(accent: accent, beat: beat))
    #expect(try SoundSource(source.name) == source)
    let clips = try source.clips(sampleRate: 48_000)
    #expect(clips[.accent].copy.count == 4800 && clips[.beat].copy.count == 2400)
    #expect(clips[.cue] === clips[.accent] && clips[.subdivision] === clips[.beat])
  }

  @Test func `An error names both files where both are at fault`() throws {
    let folder = try TemporaryFolder()
    let good = try folder.write("good.wav", bell(1000, frames: 480, sampleRate: 48_000))
    let (a, b) = (folder.file("a.wav"), folder.file("b.wav"))
    for (accent, beat, missing) in [(a, b, [a, b]), (good, b, [b]), (a, good, [a])] {
      let source = try SoundSource("\(accent),\(beat)")
      let error = #expect(throws: SamplePair.Faults.self) { try source.clips(sampleRate: 48_000) }
      #expect(error?.errors.map(\.path) == missing)
    }
  }

  @Test(arguments: [
    "a.wav,b.wav", "/a.wav,b.wav", "/a.wav", "sine@1", "sine@0.2,1", "sine@1,5", "sine@1,2@1,2",
  ])
  func `What is no pair and no pitch is refused`(text: String) {
    #expect(throws: InvalidValue.self) { try SoundSource(text) }
  }

  @Test func `A pitch moves accents and beats each by its factor`() throws {
    let source = try SoundSource("beep@0.5,1.25")
    #expect(source == .pitched(.builtIn(.beep), accent: 0.5, beat: 1.25))
    #expect(try SoundSource(source.name) == source)
    let (plain, clips) = (
      try SoundSource("beep").clips(sampleRate: 48_000), try source.clips(sampleRate: 48_000)
    )
    // A steady tone: beats of 880 Hz, accents an octave above.
    #expect(abs(pitch(clips[.accent].copy[1_000..<3_000], sampleRate: 48_000) - 880) < 1)
    #expect(abs(pitch(clips[.beat].copy[500..<1_500], sampleRate: 48_000) - 1_100) < 1)
    #expect(clips[.accent].copy.count == 2 * plain[.accent].copy.count)
    #expect(abs(clips[.beat].copy.first!) <= Fade.inaudible && clips[.beat].copy.last == 0)
  }
}
