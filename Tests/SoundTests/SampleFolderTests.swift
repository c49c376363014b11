import Engine
import Foundation
import MusicTime
import Testing

@testable import Sound

@Suite struct SampleFolderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A file whose samples tell which one it is.
  private func add(_ name: String, peak: Float) throws {
    try folder.write(name, [0, peak, 0])
  }

  private func peaks() throws -> [ClickRole: Float] {
    let clips = try SampleFolder(folder.path).clips(sampleRate: 48_000)
    return Dictionary(uniqueKeysWithValues: ClickRole.allCases.map { ($0, peak(clips[$0].copy)) })
  }

  private func error() -> SoundError? {
    #expect(throws: SoundError.self) { try SampleFolder(folder.path).clips(sampleRate: 48_000) }
  }

  @Test("Each role has its own file, and other files are left alone")
  func roles() throws {
    try add("accent.wav", peak: 0.5)
    try add("beat.wav", peak: 0.25)
    try add("subdivision.wav", peak: 0.125)
    try add("cue.wav", peak: 0.75)
    try folder.write("README.txt", bytes: [65])
    try folder.write("beat.txt", bytes: [65])
    try folder.write("beat", bytes: [65])
    try folder.write("beat.wav.bak", bytes: [65])
    #expect(try peaks() == [.accent: 0.5, .beat: 0.25, .subdivision: 0.125, .cue: 0.75])
  }

  @Test("Without a subdivision the beat sounds, and without a cue the accent")
  func standIns() throws {
    try add("accent.wav", peak: 0.5)
    try add("beat.wav", peak: 0.25)
    #expect(try peaks() == [.accent: 0.5, .beat: 0.25, .subdivision: 0.25, .cue: 0.5])
  }

  @Test("A beat alone or an accent alone serves every role", arguments: ["beat.wav", "accent.wav"])
  func alone(name: String) throws {
    try add(name, peak: 0.5)
    #expect(try peaks() == [.accent: 0.5, .beat: 0.5, .subdivision: 0.5, .cue: 0.5])
  }

  @Test(
    "A name counts in capitals or not, with each extension",
    arguments: ["Beat.WAV", "BEAT.Flac", "beat.OGG", "beat.aif", "beat.AIFF"])
  func capitals(name: String) throws {
    #expect(SampleFolder.place(ofFile: name) == .role(.beat))
    // What is inside decides how a file is read; the extension only makes it a sound file.
    try add(name, peak: 0.5)
    #expect(try peaks()[.beat] == 0.5)
  }

  @Test(
    "A folder without accent and beat is refused", arguments: ["notes.txt", "cue.wav", "subdivision.flac"])
  func nothing(name: String) throws {
    try add(name, peak: 0.5)
    #expect(error() == SoundError(path: folder.path, .noClips))
  }

  @Test("Two files for one role are refused, and both are named")
  func twice() throws {
    try add("beat.wav", peak: 0.5)
    try add("beat.flac", peak: 0.5)
    let error = error()
    #expect(error == SoundError(path: folder.file("beat.wav"), .sameRole(as: folder.file("beat.flac"))))
  }

  @Test("One bad file refuses the whole set and is named")
  func bad() throws {
    try add("beat.wav", peak: 0.5)
    try folder.write("cue.wav", bytes: Array("nonsense".utf8))
    #expect(error()?.path == folder.file("cue.wav"))
  }

  @Test("What is not a folder is refused")
  func notAFolder() throws {
    try add("beat.wav", peak: 0.5)
    for path in [folder.file("beat.wav"), folder.file("none"), ""] {
      let error = #expect(throws: SoundError.self) { try SampleFolder(path).clips(sampleRate: 48_000) }
      #expect(error == SoundError(path: path, .notAFolder))
    }
  }
}
