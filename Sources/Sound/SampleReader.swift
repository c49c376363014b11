import CSndfile
import Glibc

/// Reads a user's sound file as a clip's samples: mono, resampled, and with no click at the ends.
///
/// Everything in the header is checked before a sample is read, so that a bad or huge file costs little.
struct SampleReader {
  /// In bytes.
  static let largestFile = 100_000_000
  /// In seconds.
  static let longest = 10.0
  static let mostChannels = 64
  /// In hertz.
  static let sampleRates = 2000...768_000
  /// The largest allowed peak, relative to full scale: 12 dB above it. A louder file is not scaled for playback and could hurt.
  static let loudest: Float = 4

  /// Frames per read.
  private static let block = 4096

  let path: String

  /// The whole file at `sampleRate`, in hertz.
  ///
  /// A mono file at this rate with silent ends is returned bit for bit.
  ///
  /// - Throws: `SoundError`.
  func samples(sampleRate: Int) throws(SoundError) -> [Float] {
    let descriptor = try open()
    defer { close(descriptor) }
    return try samples(of: descriptor, sampleRate: sampleRate)
  }

  /// As `samples(sampleRate:)`, for an open file.
  /// - Parameter descriptor: stays open; the caller closes it.
  /// - Throws: `SoundError`.
  func samples(of descriptor: Int32, sampleRate: Int) throws(SoundError) -> [Float] {
    try check(descriptor)
    // libsndfile starts at the descriptor's position.
    lseek(descriptor, 0, SEEK_SET)
    let stream = DescriptorStream(descriptor)
    defer { withExtendedLifetime(stream) {} }
    var info = SF_INFO()
    guard let file = stream.open(SFM_READ, &info) else {
      throw error(.notAudio(reason: String(cString: sf_strerror(nil))))
    }
    defer { sf_close(file) }
    try check(info)

    var samples = try read(file, frames: Int(info.frames), channels: Int(info.channels))
    samples = resample(samples, from: Int(info.samplerate), to: sampleRate)
    Fade.declick(&samples, sampleRate: sampleRate)
    return samples
  }

  /// Opens the file without blocking: opening a named pipe could block forever.
  private func open() throws(SoundError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw error(.unreadable(reason: reason(errno))) }
    return descriptor
  }

  private func check(_ descriptor: Int32) throws(SoundError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw error(.unreadable(reason: reason(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw error(.notAFile) }
    guard status.st_size <= SampleReader.largestFile else { throw error(.tooLarge(bytes: status.st_size)) }
  }

  private func check(_ info: SF_INFO) throws(SoundError) {
    guard info.frames > 0 else { throw error(.empty) }
    guard (1...SampleReader.mostChannels).contains(Int(info.channels)) else {
      throw error(.tooManyChannels(Int(info.channels)))
    }
    guard SampleReader.sampleRates.contains(Int(info.samplerate)) else {
      throw error(.sampleRate(Int(info.samplerate)))
    }
    let seconds = Double(info.frames) / Double(info.samplerate)
    guard seconds <= SampleReader.longest else { throw error(.tooLong(seconds: seconds)) }
  }

  /// Reads `frames` frames block by block, and mixes each down to the mean of its channels.
  private func read(_ file: OpaquePointer, frames: Int, channels: Int) throws(SoundError) -> [Float] {
    var samples: [Float] = []
    samples.reserveCapacity(frames)
    var block = [Float](repeating: 0, count: SampleReader.block * channels)
    var peak: Float = 0
    while samples.count < frames {
      let wanted = min(SampleReader.block, frames - samples.count)
      let count = Int(sf_readf_float(file, &block, sf_count_t(wanted)))
      guard count > 0 else { throw error(.truncated(frames: samples.count, of: frames)) }
      for frame in 0..<count {
        var sum: Float = 0
        for channel in 0..<channels {
          sum += block[frame * channels + channel]
        }
        guard sum.isFinite else { throw error(.notFinite(frame: samples.count)) }
        let sample = sum / Float(channels)
        peak = max(peak, abs(sample))
        samples.append(sample)
      }
    }
    guard peak <= SampleReader.loudest else { throw error(.tooLoud(peak: peak)) }
    return samples
  }

  private func error(_ problem: SoundError.Problem) -> SoundError {
    SoundError(path: path, problem)
  }
}
