import Control
import Foundation
import MusicTime
import Testing
import Validation

@testable import Sound

@Suite struct SoundSourceTests {
  @Test("A built-in set is read from its name and written back", arguments: BuiltInSound.allCases)
  func builtIn(sound: BuiltInSound) throws {
    let source = try SoundSource(sound.name)
    #expect(source == .builtIn(sound))
    #expect(source.name == sound.name)
  }

  @Test("The parameter for the sound names exactly the built-in sets")
  func parameter() { #expect(Parameters.builtInSounds == SoundSource.names) }

  @Test("A folder is read from its path and written back")
  func folder() throws {
    let folder = try TemporaryFolder()
    let source = try SoundSource(folder.path)
    #expect(source == .folder(folder.path))
    #expect(try SoundSource(source.name) == source)
  }

  @Test("A relative path becomes absolute", arguments: [".", "./", "./Sources", "Sources"])
  func relative(path: String) throws {
    // The package's folder is where the tests run; where it is not, there is nothing to see here.
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return }
    let name = try SoundSource(path).name
    #expect(name.hasPrefix(FileManager.default.currentDirectoryPath))
    #expect(try SoundSource(name).name == name)
  }

  @Test(
    "What is neither is refused, and the error names what would be right",
    arguments: ["", "sinus", "/none/such", "/etc/passwd", "sine\0", "/tmp\0x"])
  func neither(text: String) {
    let error = #expect(throws: InvalidValue.self) { try SoundSource(text) }
    #expect(error?.value == quoted(text))
    #expect(BuiltInSound.allCases.allSatisfy { error?.allowed.contains($0.name) == true })
    #expect(error?.allowed.contains("folder") == true)
  }

  @Test("For a slip only the name that is meant is told", arguments: ["sien", "Sine", "sine "])
  func slip(text: String) {
    let error = #expect(throws: InvalidValue.self) { try SoundSource(text) }
    #expect(error?.value == quoted(text) && error?.allowed == "sine, perhaps")
  }

  @Test("A sample rate out of range is refused", arguments: [Int.min, 0, 7999, 384_001, Int.max])
  func rates(rate: Int) {
    let error = #expect(throws: InvalidValue.self) { try SoundSource.builtIn(.sine).clips(sampleRate: rate) }
    #expect(error?.value == "\(rate)")
  }

  @Test("A user's folder gives its clips at the engine's rate", arguments: [44_100, 96_000])
  func clips(rate: Int) throws {
    let folder = try TemporaryFolder()
    try folder.write("beat.wav", bell(1000, frames: 4800, sampleRate: 48_000))
    let clip = try SoundSource(folder.path).clips(sampleRate: rate)[.beat]
    #expect(clip.copy.count == rate / 10)
    #expect(abs(pitch(clip.copy[(rate / 40)..<(rate * 3 / 40)], sampleRate: rate) - 1000) < 0.1)
  }

  @Test("A source tells the files that it reads")
  func paths() throws {
    let folder = try TemporaryFolder()
    for name in ["beat.wav", "Accent.flac", "1.ogg", "notes.txt", "other.wav"] {
      try folder.write(name, bytes: [0])
    }
    let expected = ["1.ogg", "Accent.flac", "beat.wav"].map(folder.file)
    #expect(SoundSource.folder(folder.path).paths.sorted() == expected)
    #expect(try SoundSource("/a/x.wav,/b/y.wav@2,1").paths == ["/a/x.wav", "/b/y.wav"])
    #expect(SoundSource.builtIn(.sine).paths == [])
    #expect(SoundSource.folder("/none/such").paths == [])
  }

  @Test("A folder that has gone since is an error, not a crash")
  func gone() throws {
    let path = try TemporaryFolder().path
    #expect(throws: SoundError(path: path, .notAFolder)) {
      try SoundSource.folder(path).clips(sampleRate: 48_000)
    }
  }
}
