import MusicTime
import Testing
import Validation

@testable import Sound

@Suite struct AudioFormatTests {
  @Test(
    "The extension names the format, in capitals or not",
    arguments: [
      ("click.wav", AudioFormat.Container.wav), ("a/b.c/x.FLAC", .flac), ("/click.tar.Ogg", .ogg),
    ])
  func containers(path: String, container: AudioFormat.Container) throws {
    #expect(try AudioFormat(path: path, sampleRate: 48_000).container == container)
  }

  @Test(
    "A name without a known extension is refused",
    arguments: ["click", "click.mp3", "", ".wav", "a.wav/", "a.wav/b", "wav", "a\0.wav"])
  func unknown(path: String) {
    let error = #expect(throws: InvalidValue.self) { try AudioFormat(path: path, sampleRate: 48_000) }
    #expect(error?.description.contains(".wav, .flac or .ogg") == true)
  }

  @Test("The bit depth is 24 where it is left out, and ogg has none")
  func standard() throws {
    #expect(try AudioFormat(path: "a.wav", sampleRate: 48_000).bitDepth == 24)
    #expect(try AudioFormat(path: "a.flac", sampleRate: 48_000).bitDepth == 24)
    #expect(try AudioFormat(path: "a.ogg", sampleRate: 48_000).bitDepth == nil)
  }

  @Test(
    "A bit depth that the format can't have is refused",
    arguments: [("a.wav", 8), ("a.wav", 0), ("a.wav", -16), ("a.flac", 32), ("a.ogg", 16)])
  func depths(path: String, bitDepth: Int) {
    let error = #expect(throws: InvalidValue.self) {
      try AudioFormat(path: path, sampleRate: 48_000, bitDepth: bitDepth)
    }
    #expect(error?.name == "bit depth" && error?.value == "\(bitDepth)")
  }

  @Test("A sample rate out of range is refused", arguments: [-1, 0, 7999, 192_001, Int.max])
  func rates(rate: Int) {
    let error = #expect(throws: InvalidValue.self) { try AudioFormat(path: "a.wav", sampleRate: rate) }
    #expect(error?.description == "sample rate \(rate): must be 8000 to 192000 Hz")
  }
}
