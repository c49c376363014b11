import CSndfile
import Foundation
import Synchronization
import Testing

@testable import Sound

@Suite struct AudioFileWriterTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func writer(_ name: String, bitDepth: Int? = nil, sampleRate: Int = 48_000, expectedFrames: Int = 0)
    throws -> AudioFileWriter
  {
    let path = folder.file(name)
    return try AudioFileWriter(
      path: path, format: AudioFormat(path: path, sampleRate: sampleRate, bitDepth: bitDepth),
      expectedFrames: expectedFrames)
  }

  private func write(_ samples: [Float], to writer: AudioFileWriter) throws {
    try samples.withUnsafeBufferPointer { try writer.write($0) }
  }

  @Test(
    "Integer samples come back as they were written, over the whole range",
    arguments: [("a.wav", 16), ("a.wav", 24), ("a.flac", 16), ("a.flac", 24)])
  func roundTrip(name: String, bitDepth: Int) throws {
    let full = 1 << (bitDepth - 1)
    let samples = stride(from: -full, to: full, by: bitDepth == 16 ? 1 : 251).map { Float($0) / Float(full) }
    let writer = try writer(name, bitDepth: bitDepth)
    try write(samples, to: writer)
    try writer.finish()
    let back = try ReadBack(folder.file(name))
    #expect(back.samples == samples)
    #expect(back.encoding == (bitDepth == 16 ? SF_FORMAT_PCM_16 : SF_FORMAT_PCM_24))
    #expect(back.info.channels == 1 && back.info.samplerate == 48_000)
  }

  @Test("Silence takes no room on the disk, and comes back as silence", arguments: [16, 24, 32])
  func silence(bitDepth: Int) throws {
    // In blocks that fall on no page, and with a click across a page's end.
    var samples = [Float](repeating: 0, count: 480_000)
    for frame in [0, 1, 2_047, 2_048, 100_000, 479_999] { samples[frame] = 0.5 }
    let writer = try writer("a.wav", bitDepth: bitDepth)
    for start in stride(from: 0, to: samples.count, by: 7_777) {
      try write(Array(samples[start..<min(start + 7_777, samples.count)]), to: writer)
    }
    try writer.finish()
    #expect(try ReadBack(folder.file("a.wav")).samples == samples)
    var status = stat()
    #expect(stat(folder.file("a.wav"), &status) == 0)
    #expect(status.st_size >= samples.count * bitDepth / 8)
    #expect(Int(status.st_blocks) * 512 < Int(status.st_size) / 4)
  }

  @Test(
    "A WAV file's markers and time reference are read back, and change no sample", arguments: [16, 24, 32])
  func notes(bitDepth: Int) throws {
    var notes = AudioNotes()
    notes.title = String(repeating: "ü", count: 200)
    notes.timeReference = 3_600 * 192_000 * 20
    notes.markers = (0..<150).map {
      AudioNotes.Marker(frame: $0 * 7, name: String(repeating: "é", count: $0))
    }
    let path = folder.file("a.wav")
    let writer = try AudioFileWriter(
      path: path, format: AudioFormat(path: path, sampleRate: 48_000, bitDepth: bitDepth), notes: notes)
    let samples = (0..<2_000).map { Float($0) / 4_096 }
    try write(samples, to: writer)
    try writer.finish()
    #expect(try ReadBack(path).samples == samples)

    var info = SF_INFO()
    let file = try #require(sf_open(path, Int32(SFM_READ), &info))
    defer { sf_close(file) }
    var broadcast = SF_BROADCAST_INFO()
    #expect(
      sf_command(file, Int32(SFC_GET_BROADCAST_INFO), &broadcast, Int32(MemoryLayout<SF_BROADCAST_INFO>.size))
        == SF_TRUE)
    #expect(
      Int(broadcast.time_reference_high) << 32 | Int(broadcast.time_reference_low) == 3_600 * 192_000 * 20)
    #expect(text(broadcast.originator) == "Tactus")
    #expect(text(broadcast.description) == String(repeating: "ü", count: 127))
    let size = 4 + 150 * MemoryLayout<SF_CUE_POINT>.stride
    let cues = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    defer { cues.deallocate() }
    #expect(sf_command(file, Int32(SFC_GET_CUE), cues, Int32(size)) == SF_TRUE)
    try #require(cues.load(as: UInt32.self) == 150)
    for (index, marker) in notes.markers.enumerated() {
      let cue = (cues + 4 + index * MemoryLayout<SF_CUE_POINT>.stride).loadUnaligned(as: SF_CUE_POINT.self)
      #expect(Int(cue.sample_offset) == marker.frame)
      #expect(text(cue.name) == String(marker.name.prefix(127)))
    }
  }

  /// The text in a field of C, up to its first zero.
  private func text(_ field: some Any) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  @Test("A file that ends in silence is as long as its samples")
  func silentEnd() throws {
    let samples = [Float](repeating: 0, count: 200_000)
    let writer = try writer("a.wav", bitDepth: 16)
    try write(samples, to: writer)
    try writer.finish()
    #expect(try ReadBack(folder.file("a.wav")).samples == samples)
  }

  @Test("32-bit samples come back bit by bit, also over full scale")
  func floatingPoint() throws {
    let samples: [Float] = [0, 1e-20, 0.1, -0.3, 1, -1, 2.5, -40]
    let writer = try writer("a.wav", bitDepth: 32)
    try write(samples, to: writer)
    try writer.finish()
    let back = try ReadBack(folder.file("a.wav"))
    #expect(back.samples == samples)
    #expect(back.encoding == SF_FORMAT_FLOAT)
  }

  @Test("A loud signal is clipped, and does not wrap", arguments: ["a.wav", "a.flac"], [16, 24])
  func clipping(name: String, bitDepth: Int) throws {
    let samples = tone(100, frames: 4800, sampleRate: 48_000, amplitude: 3)
    let writer = try writer(name, bitDepth: bitDepth)
    try write(samples, to: writer)
    try writer.finish()
    let step = 1 / Float(1 << (bitDepth - 1))
    for (written, read) in zip(samples, try ReadBack(folder.file(name)).samples) {
      #expect(abs(min(max(written, -1), 1 - step) - read) <= step / 2)
    }
  }

  @Test("Ogg keeps the length, the rate and nearly the sound", arguments: [8000, 44_100, 48_000, 192_000])
  func ogg(rate: Int) throws {
    let samples = bell(1000, frames: rate, sampleRate: rate)
    let writer = try writer("a.ogg", sampleRate: rate)
    // In one go: large blocks must not be too much for the encoder.
    try write(samples, to: writer)
    try writer.finish()
    let back = try ReadBack(folder.file("a.ogg"))
    #expect(back.container == SF_FORMAT_OGG && back.encoding == SF_FORMAT_VORBIS)
    #expect(Int(back.info.samplerate) == rate && back.samples.count == rate)
    #expect(zip(samples, back.samples).allSatisfy { abs($0 - $1) < 0.05 })
  }

  @Test("Any cut into blocks gives the same file", arguments: ["a.wav", "a.flac"])
  func blocks(name: String) throws {
    let samples = tone(440, frames: 100_000, sampleRate: 48_000)
    var random = SplitMix64(seed: 3)
    var files: [Data] = []
    for most in [100_000, 1, 5000] {
      let writer = try writer(name)
      var start = 0
      while start < samples.count {
        let end = min(samples.count, start + 1 + Int(random.next() % UInt64(most)))
        try write(Array(samples[start..<end]), to: writer)
        start = end
      }
      try writer.finish()
      files.append(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
    }
    #expect(files[0] == files[1] && files[0] == files[2])
    #expect(try ReadBack(folder.file(name)).samples.count == 100_000)
  }

  @Test("A file without samples is a file", arguments: ["a.wav", "a.flac", "a.ogg"])
  func empty(name: String) throws {
    try writer(name).finish()
    #expect(try folder.contents == [name])
  }

  @Test(
    "Nothing is there until the file is finished, and then only the file",
    arguments: ["a.wav", "a.flac", "a.ogg"])
  func atomic(name: String) throws {
    let writer = try writer(name)
    try write(tone(440, frames: 200_000, sampleRate: 48_000), to: writer)
    #expect(!FileManager.default.fileExists(atPath: folder.file(name)))
    try writer.finish()
    try writer.finish()
    #expect(try folder.contents == [name])
  }

  @Test(
    "A dropped writer leaves nothing, and an existing file as it was",
    arguments: ["a.wav", "a.flac", "a.ogg"])
  func dropped(name: String) throws {
    do {
      let writer = try writer(name)
      try write(tone(440, frames: 200_000, sampleRate: 48_000), to: writer)
    }
    #expect(try folder.contents == [])

    try folder.write(name, bytes: [1, 2, 3])
    do {
      let writer = try writer(name)
      try write(tone(440, frames: 200_000, sampleRate: 48_000), to: writer)
    }
    #expect(try folder.contents == [name])
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))) == Data([1, 2, 3]))
  }

  @Test("Writers that are dropped side by side never write into another file")
  func droppedSideBySide() throws {
    // A writer that closed its descriptor before its encoder was done would write to whatever file has that
    // descriptor by then.
    let samples = tone(440, frames: 5000, sampleRate: 48_000)
    let format = try AudioFormat(path: "a.flac", sampleRate: 48_000)
    let folder = folder
    let intact = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 2000) { index in
      let path = folder.file("\(index)")
      if let writer = try? AudioFileWriter(path: path, format: format) {
        samples.withUnsafeBufferPointer { try? writer.write($0) }
      }
      guard (try? folder.write("\(index)", bytes: [1, 2, 3])) != nil else { return }
      if (try? Data(contentsOf: URL(fileURLWithPath: path))) == Data([1, 2, 3]) {
        intact.add(1, ordering: .relaxed)
      }
    }
    #expect(intact.load(ordering: .relaxed) == 2000)
  }

  @Test("A WAV file is plain where it fits, and RF64 only where it grows over 4 GiB")
  func large() throws {
    let plain = try writer("plain.wav", bitDepth: 24, expectedFrames: 1_400_000_000)
    try write([0.5], to: plain)
    try plain.finish()
    #expect(try ReadBack(folder.file("plain.wav")).container == SF_FORMAT_WAV)

    let large = try writer("large.wav", bitDepth: 24, expectedFrames: 1_500_000_000)
    try write([0.5], to: large)
    try large.finish()
    let back = try ReadBack(folder.file("large.wav"))
    #expect(back.container == SF_FORMAT_RF64 && back.samples == [0.5])
  }

  @Test("The same samples give the same bytes on another day", arguments: ["a.wav", "b.wav", "c.flac"])
  func reproducible(name: String) throws {
    let writer = try writer(name, bitDepth: name == "b.wav" ? 32 : 16)
    try write([0.25, -0.5], to: writer)
    try writer.finish()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    // libsndfile's chunk with the loudest sample holds the time of day.
    #expect(bytes.range(of: Data("PEAK".utf8)) == nil)
  }
}
