import CSndfile
import Engine
import Foundation
import Testing

@testable import Sound

/// A temporary folder, which is removed with this object.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "tactus-sound-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of everything in the folder, hidden files included.
  var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Writes a sound file through libsndfile; `samples` are interleaved.
  @discardableResult
  func write(
    _ name: String, _ samples: [Float], sampleRate: Int = 48_000, channels: Int = 1,
    format: Int = SF_FORMAT_WAV | SF_FORMAT_FLOAT
  ) throws -> String {
    var info = SF_INFO()
    info.samplerate = Int32(sampleRate)
    info.channels = Int32(channels)
    info.format = Int32(format)
    let handle = try #require(sf_open(file(name), Int32(SFM_WRITE), &info), "\(name)")
    let frames = sf_count_t(samples.count / channels)
    #expect(sf_writef_float(handle, samples, frames) == frames)
    #expect(sf_close(handle) == 0)
    return file(name)
  }

  @discardableResult
  func write(_ name: String, bytes: [UInt8]) throws -> String {
    // Writes a new file, because file systems wait for the disk when a file is overwritten: a test writes thousands.
    unlink(file(name))
    let stream = try #require(fopen(file(name), "w"), "\(name)")
    #expect(fwrite(bytes, 1, bytes.count, stream) == bytes.count)
    fclose(stream)
    return file(name)
  }
}

/// A sound file read by libsndfile directly.
struct ReadBack {
  var info = SF_INFO()
  var samples: [Float]

  init(_ path: String) throws {
    let file = try #require(sf_open(path, Int32(SFM_READ), &info), "\(path)")
    samples = [Float](repeating: 0, count: Int(info.frames) * Int(info.channels))
    #expect(sf_readf_float(file, &samples, info.frames) == info.frames)
    sf_close(file)
  }

  var container: Int { Int(info.format) & SF_FORMAT_TYPEMASK }
  var encoding: Int { Int(info.format) & SF_FORMAT_SUBMASK }
}

/// A sine that starts at zero.
func tone(_ frequency: Double, frames: Int, sampleRate: Int, amplitude: Double = 0.5) -> [Float] {
  (0..<frames).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(sampleRate))) }
}

/// A tone that fades in and out over its whole length, so that its ends need no fade.
func bell(_ frequency: Double, frames: Int, sampleRate: Int) -> [Float] {
  tone(frequency, frames: frames, sampleRate: sampleRate).enumerated().map { index, sample in
    sample * Float(0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(frames - 1)))
  }
}

/// The frequency in hertz, from the rising zero crossings, each interpolated between two samples.
func pitch(_ samples: some Collection<Float>, sampleRate: Int) -> Double {
  let samples = Array(samples)
  var crossings: [Double] = []
  for index in 1..<samples.count where samples[index - 1] < 0 && samples[index] >= 0 {
    crossings.append(Double(index) - Double(samples[index] / (samples[index] - samples[index - 1])))
  }
  guard let first = crossings.first, let last = crossings.last, crossings.count > 1 else { return 0 }
  return Double(crossings.count - 1) * Double(sampleRate) / (last - first)
}

/// The magnitude of one frequency, by a discrete Fourier transform.
func magnitude(_ samples: some Collection<Float>, at frequency: Double, sampleRate: Int) -> Double {
  var (re, im) = (0.0, 0.0)
  for (index, sample) in samples.enumerated() {
    let angle = 2 * Double.pi * frequency * Double(index) / Double(sampleRate)
    re += Double(sample) * cos(angle)
    im += Double(sample) * sin(angle)
  }
  return (re * re + im * im).squareRoot()
}

/// The largest magnitude of a sample, whatever its sign.
func peak(_ samples: some Collection<Float>) -> Float {
  samples.reduce(0) { max($0, abs($1)) }
}

func decibels(_ ratio: some BinaryFloatingPoint) -> Double {
  20 * log10(Double(ratio))
}

extension Clip {
  /// A copy of the samples: the buffer is freed with the clip, possibly right after its last use.
  var copy: [Float] {
    withExtendedLifetime(self) { Array(samples) }
  }
}

extension SoundSource {
  /// The clips of a set in which nothing is spoken.
  func clips(sampleRate: Int) throws -> ClipSet {
    try clips(sampleRate: sampleRate) { _ in throw SpeechError.missing }
  }
}
