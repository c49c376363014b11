import CSndfile
import Foundation
import Testing

@testable import Sound

@Suite struct SampleReaderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func problem(_ path: String) -> SoundError.Problem? {
    let error = #expect(throws: SoundError.self) {
      try SampleReader(path: path).samples(sampleRate: 48_000)
    }
    #expect(error?.path == path)
    #expect(error?.description.hasPrefix(path) == true)
    return error?.problem
  }

  @Test("A mono file at the engine's rate comes through bit by bit")
  func bitByBit() throws {
    let source = bell(1000, frames: 10_001, sampleRate: 48_000)
    let path = try folder.write("beat.wav", source)
    #expect(try SampleReader(path: path).samples(sampleRate: 48_000) == source)
  }

  @Test(
    "Every format is read",
    arguments: [
      SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_WAV | SF_FORMAT_PCM_24, SF_FORMAT_WAV | SF_FORMAT_PCM_U8,
      SF_FORMAT_FLAC | SF_FORMAT_PCM_24, SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
    ])
  func formats(format: Int) throws {
    let source = bell(1000, frames: 9600, sampleRate: 48_000)
    let path = try folder.write("beat", source, format: format)
    let samples = try SampleReader(path: path).samples(sampleRate: 48_000)
    #expect(samples.count == 9600)
    #expect(zip(samples, source).allSatisfy { abs($0 - $1) < 0.05 })
    #expect(abs(pitch(samples[2400..<7200], sampleRate: 48_000) - 1000) < 0.5)
  }

  @Test("A file at another rate keeps its pitch and length", arguments: [22_050, 44_100, 96_000])
  func otherRate(rate: Int) throws {
    let path = try folder.write("beat.wav", bell(1000, frames: rate / 4, sampleRate: rate), sampleRate: rate)
    let samples = try SampleReader(path: path).samples(sampleRate: 48_000)
    #expect(samples.count == Int((Double(rate / 4) * 48_000 / Double(rate)).rounded()))
    #expect(abs(pitch(samples[3000..<9000], sampleRate: 48_000) - 1000) < 0.05)
  }

  @Test("Channels are mixed down to their mean", arguments: [2, 3, 6, 64])
  func downmix(channels: Int) throws {
    let source = bell(500, frames: 5000, sampleRate: 48_000)
    // Each channel a different share, and one turned over.
    let shares = (0..<channels).map { $0 == 0 ? -0.5 : Float($0) / 16 }
    let path = try folder.write(
      "beat.wav", source.flatMap { sample in shares.map { sample * $0 } }, channels: channels)
    let samples = try SampleReader(path: path).samples(sampleRate: 48_000)
    let mean = shares.reduce(0, +) / Float(channels)
    #expect(samples.count == source.count)
    #expect(zip(samples, source).allSatisfy { abs($0 - $1 * mean) < 1e-5 })
  }

  @Test("Ends that are not silent get a short fade, at any rate", arguments: [44_100, 48_000])
  func declick(rate: Int) throws {
    let path = try folder.write("beat.wav", [Float](repeating: 0.5, count: 4410), sampleRate: rate)
    let samples = try SampleReader(path: path).samples(sampleRate: 48_000)
    #expect(samples.first == 0 && samples.last == 0)
    #expect(zip(samples, samples.dropFirst()).allSatisfy { abs($0 - $1) < 0.05 })
    #expect(abs(samples[2000] - 0.5) < 0.001)
  }

  @Test("What is not there, a folder or a pipe is refused without waiting")
  func notAFile() throws {
    #expect(problem(folder.file("none.wav")) == .unreadable(reason: "No such file or directory"))
    #expect(problem(folder.path) == .notAFile)
    #expect(mkfifo(folder.file("pipe.wav"), 0o600) == 0)
    #expect(problem(folder.file("pipe.wav")) == .notAFile)
  }

  @Test("What is not audio is refused")
  func notAudio() throws {
    for (name, bytes) in [
      ("text", Array("four on the floor\n".utf8)), ("none", []), ("zeros", [UInt8](repeating: 0, count: 999)),
    ] {
      guard case .notAudio? = problem(try folder.write("\(name).wav", bytes: bytes)) else {
        Issue.record("\(name)")
        continue
      }
    }
  }

  @Test("A descriptor that is refused is closed once, and not by libsndfile")
  func closedOnce() throws {
    let path = try folder.write("text.wav", bytes: Array("four on the floor\n".utf8))
    let descriptor = open(path, O_RDONLY)
    var info = SF_INFO()
    #expect(DescriptorStream(descriptor).open(SFM_READ, &info) == nil)
    #expect(close(descriptor) == 0)
  }

  @Test("A file without samples is refused")
  func empty() throws {
    #expect(problem(try folder.write("beat.wav", [])) == .empty)
  }

  @Test("Ten seconds are accepted and a frame more is not, whatever the rate")
  func length() throws {
    let (low, high) = (8000, 96_000)
    for rate in [low, high] {
      let path = try folder.write(
        "long.flac", [Float](repeating: 0, count: 10 * rate + 1), sampleRate: rate,
        format: SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
      guard case .tooLong? = problem(path) else {
        Issue.record("\(rate)")
        return
      }
    }
    let path = try folder.write("fits.wav", [Float](repeating: 0, count: 10 * low), sampleRate: low)
    #expect(try SampleReader(path: path).samples(sampleRate: 8000).count == 10 * low)
  }

  @Test("A file over 100 MB is refused by its size alone")
  func size() throws {
    let path = try folder.write("beat.wav", [0, 0.5, 0])
    #expect(truncate(path, 100_000_001) == 0)
    #expect(problem(path) == .tooLarge(bytes: 100_000_001))
  }

  @Test("A file with more than 64 channels is refused")
  func channels() throws {
    let path = try folder.write("beat.wav", [Float](repeating: 0, count: 650), channels: 65)
    #expect(problem(path) == .tooManyChannels(65))
  }

  @Test("A file with an absurd sample rate is refused", arguments: [1, 1999, 768_001, 2_000_000_000])
  func sampleRate(rate: Int) throws {
    #expect(problem(try folder.write("beat.wav", [0, 0.5, 0], sampleRate: rate)) == .sampleRate(rate))
  }

  @Test(
    "Samples that are not finite are refused, and the first one is named",
    arguments: [Float.nan, .infinity, -.infinity])
  func notFinite(bad: Float) throws {
    var samples = [Float](repeating: 0.1, count: 20_000)
    samples[12_345] = bad
    samples[15_000] = bad
    #expect(problem(try folder.write("beat.wav", samples)) == .notFinite(frame: 12_345))
  }

  @Test("A file that would hurt is refused, one that is a little hot is not")
  func loud() throws {
    #expect(problem(try folder.write("beat.wav", [0, 30_000, 0])) == .tooLoud(peak: 30_000))
    let path = try folder.write("hot.wav", [0, 1.5, 0])
    #expect(try SampleReader(path: path).samples(sampleRate: 48_000) == [0, 1.5, 0])
  }

  @Test("A FLAC file that is cut short is refused")
  func truncated() throws {
    var random = SplitMix64(seed: 1)
    let noise = (0..<48_000).map { _ in Float(random.nextUnit() - 0.5) }
    let path = try folder.write("beat.flac", noise, format: SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
    #expect(truncate(path, 40_000) == 0)
    guard case .truncated(let frames, 48_000)? = problem(path) else {
      Issue.record("not refused")
      return
    }
    #expect(frames < 48_000)
  }

  @Test("No damage to a file brings the reader down", arguments: ["wav", "flac", "ogg", "aiff"])
  func damaged(kind: String) throws {
    let formats = [
      "wav": SF_FORMAT_WAV | SF_FORMAT_PCM_16, "flac": SF_FORMAT_FLAC | SF_FORMAT_PCM_16,
      "ogg": SF_FORMAT_OGG | SF_FORMAT_VORBIS, "aiff": SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
    ]
    let path = try folder.write(
      "beat", bell(1000, frames: 400, sampleRate: 44_100), sampleRate: 44_100, format: formats[kind]!)
    let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var random = SplitMix64(seed: 42)
    for round in 0..<2_500 {
      var bytes = good
      for _ in 0...(round % 8) {
        // Mostly in the header, where the sizes are.
        bytes[Int(random.next() % UInt64(round % 2 == 0 ? 64 : bytes.count))] = UInt8(
          truncatingIfNeeded: random.next())
      }
      try folder.write("damaged", bytes: round % 5 == 0 ? Array(bytes.prefix(bytes.count / 2)) : bytes)
      let samples = try? SampleReader(path: folder.file("damaged")).samples(sampleRate: 48_000)
      #expect(samples?.allSatisfy(\.isFinite) != false)
    }
  }
}
