import Foundation
import Testing

@testable import Sound

@Suite struct AudioEncoderTests {
  @Test(
    "A full disk is an error that says so, at the latest when the file is finished",
    arguments: ["wav", "flac", "ogg"])
  func fullDisk(kind: String) throws {
    // Every write to this device fails as on a full disk.
    let descriptor = open("/dev/full", O_RDWR)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let format = try AudioFormat(path: "a.\(kind)", sampleRate: 48_000)
    let error = #expect(throws: SoundError.self) {
      let encoder = try AudioEncoder(
        path: "a.\(kind)", descriptor: descriptor, format: format, expectedFrames: 0,
        notes: AudioNotes())
      try tone(440, frames: 1000, sampleRate: 48_000).withUnsafeBufferPointer { try encoder.write($0) }
      try encoder.finish()
    }
    #expect(error == SoundError(path: "a.\(kind)", .unwritable(reason: "No space left on device")))
  }

  @Test("A plain WAV file that would grow over 4 GiB is an error before it is written")
  func tooLong() throws {
    let descriptor = open("/dev/null", O_RDWR)
    defer { close(descriptor) }
    let format = try AudioFormat(path: "a.wav", sampleRate: 48_000, bitDepth: 32)
    let encoder = try AudioEncoder(
      path: "a.wav", descriptor: descriptor, format: format, expectedFrames: 0, notes: AudioNotes())
    let block = [Float](repeating: 0, count: 1 << 22)
    try block.withUnsafeBufferPointer { block in
      for _ in 0..<255 { try encoder.write(block) }
      #expect(throws: SoundError(path: "a.wav", .full)) {
        try encoder.write(block)
      }
    }
  }
}
