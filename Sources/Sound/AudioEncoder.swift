import CSndfile

/// Turns samples into a sound file's bytes, on an open file.
final class AudioEncoder {
  /// What a plain WAV file can hold: its sizes are 32-bit, and count some header too.
  static let longestWAV = 0xFFFF_FFFF - 4096

  /// Samples that are converted and handed over at once. Vorbis keeps a block on the stack: a large one overflows it.
  private static let block = 32_768
  private static let vorbisBlock = 1024

  private let path: String
  private let format: AudioFormat
  private let stream: DescriptorStream
  private var file: OpaquePointer?
  /// Of 24 and of 16 bits.
  private var steps: [Int32] = []
  private var shortSteps: [Int16] = []
  private var framesLeft: Int

  /// Starts a file at the descriptor's beginning.
  ///
  /// - Parameters:
  ///   - path: for messages.
  ///   - descriptor: open for reading and writing; stays open.
  ///   - expectedFrames: decides whether a WAV file becomes RF64.
  init(
    path: String, descriptor: Int32, format: AudioFormat, expectedFrames: Int
  ) throws(SoundError) {
    self.path = path
    self.format = format
    stream = DescriptorStream(descriptor)
    if format.bitDepth == 24 { steps = [Int32](repeating: 0, count: AudioEncoder.block) }
    if format.bitDepth == 16 { shortSteps = [Int16](repeating: 0, count: AudioEncoder.block) }

    let bytesPerFrame = (format.bitDepth ?? 0) / 8
    let long = format.container == .wav && expectedFrames > AudioEncoder.longestWAV / bytesPerFrame
    let bounded = format.container == .wav && !long
    framesLeft = bounded ? AudioEncoder.longestWAV / bytesPerFrame : Int.max

    var info = SF_INFO()
    info.samplerate = Int32(format.sampleRate)
    info.channels = 1
    info.format = AudioEncoder.code(format, long: long)
    file = stream.open(SFM_WRITE, &info)
    guard let file else {
      throw failure(else: String(cString: sf_strerror(nil)))
    }
    // The peak chunk holds the time of day; without it the same music gives the same bytes.
    sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    if format.container == .ogg {
      // 0.4 by default. The click's attack is all there is to hear here.
      var quality = 0.8
      sf_command(file, Int32(SFC_SET_VBR_ENCODING_QUALITY), &quality, Int32(MemoryLayout<Double>.size))
    }
  }

  deinit {
    if let file {
      sf_close(file)
    }
  }

  /// Adds samples at the end.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundError) {
    guard samples.count <= framesLeft else { throw SoundError(path: path, .full) }
    framesLeft -= samples.count
    let block = format.container == .ogg ? AudioEncoder.vorbisBlock : AudioEncoder.block
    var start = 0
    while start < samples.count {
      let end = min(start + block, samples.count)
      try writeBlock(UnsafeBufferPointer(rebasing: samples[start..<end]))
      start = end
    }
  }

  private func writeBlock(_ samples: UnsafeBufferPointer<Float>) throws(SoundError) {
    let count = sf_count_t(samples.count)
    let written: sf_count_t
    switch format.bitDepth {
    case 16:
      quantise(samples, into: &shortSteps)
      written = sf_write_short(file, shortSteps, count)
    case 24:
      quantise(samples, into: &steps)
      written = sf_write_int(file, steps, count)
    default: written = sf_write_float(file, samples.baseAddress, count)
    }
    guard written == count, stream.failure == 0 else {
      throw failure(else: String(cString: sf_strerror(file)))
    }
  }

  /// Writes what is outstanding and the header.
  func finish() throws(SoundError) {
    let status = sf_close(file)
    file = nil
    guard status == 0, stream.failure == 0 else {
      throw failure(else: status > 0 ? String(cString: sf_error_number(status)) : "it could not be completed")
    }
  }

  /// What the system said, or else what libsndfile says.
  ///
  /// libsndfile is asked last: it has no number for a failed write, and prints a complaint when asked about that.
  private func failure(else message: @autoclosure () -> String) -> SoundError {
    SoundError(
      path: path, .unwritable(reason: stream.failure != 0 ? reason(stream.failure) : message()))
  }

  /// The format as libsndfile numbers it.
  private static func code(_ format: AudioFormat, long: Bool) -> Int32 {
    let container =
      switch format.container {
      case .wav: long ? SF_FORMAT_RF64 : SF_FORMAT_WAV
      case .flac: SF_FORMAT_FLAC
      case .ogg: SF_FORMAT_OGG
      }
    let encoding =
      switch format.bitDepth {
      case 16: SF_FORMAT_PCM_16
      case 24: SF_FORMAT_PCM_24
      case 32: SF_FORMAT_FLOAT
      default: SF_FORMAT_VORBIS
      }
    return Int32(container | encoding)
  }
}
