import CSndfile

/// Encodes samples as a sound file, into an open file.
final class AudioEncoder {
  /// The maximum size of a plain WAV file in bytes: its 32-bit sizes include some of the header.
  static let longestWAV = 0xFFFF_FFFF - 4096

  /// Samples converted at a time. libvorbis puts a block on the stack, so its blocks must be small.
  private static let block = 32_768
  private static let vorbisBlock = 1024

  private let path: String
  private let format: AudioFormat
  private let stream: DescriptorStream
  private var file: OpaquePointer?
  /// Buffers of 24-bit and 16-bit steps.
  private var steps: [Int32] = []
  private var shortSteps: [Int16] = []
  private var samplesLeft: Int
  /// The largest magnitude of what was written.
  private(set) var peak: Float = 0

  /// Starts a file at the descriptor's start.
  ///
  /// - Parameters:
  ///   - path: for messages.
  ///   - descriptor: open for reading and writing; the caller closes it.
  ///   - expectedFrames: decides whether a WAV file becomes RF64.
  ///   - notes: the metadata of the file.
  /// - Throws: `SoundError`.
  init(
    path: String, descriptor: Int32, format: AudioFormat, expectedFrames: Int, notes: AudioNotes
  ) throws(SoundError) {
    self.path = path
    self.format = format
    stream = DescriptorStream(descriptor)
    if format.bitDepth == 24 { steps = [Int32](repeating: 0, count: AudioEncoder.block) }
    if format.bitDepth == 16 { shortSteps = [Int16](repeating: 0, count: AudioEncoder.block) }

    let bytesPerFrame = (format.bitDepth ?? 0) / 8 * format.channels
    let long = format.container == .wav && expectedFrames > AudioEncoder.longestWAV / bytesPerFrame
    let bounded = format.container == .wav && !long
    samplesLeft = bounded ? AudioEncoder.longestWAV / bytesPerFrame * format.channels : Int.max

    var info = SF_INFO()
    info.samplerate = Int32(format.sampleRate)
    info.channels = Int32(format.channels)
    info.format = AudioEncoder.code(format, long: long)
    file = stream.open(SFM_WRITE, &info)
    guard let file else {
      throw failure(else: String(cString: sf_strerror(nil)))
    }
    // The peak chunk contains the time of day. Without it, equal samples give equal bytes.
    sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    if format.container == .wav { notes.write(into: file) }
    if format.container == .flac { notes.writeTags(into: file) }
    if format.container == .ogg {
      // The default of 0.4 smears the click's attack.
      var quality = 0.8
      sf_command(file, Int32(SFC_SET_VBR_ENCODING_QUALITY), &quality, Int32(MemoryLayout<Double>.size))
    }
  }

  deinit {
    if let file {
      sf_close(file)
    }
  }

  /// Appends interleaved samples.
  /// - Throws: `SoundError`.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundError) {
    guard samples.count <= samplesLeft else { throw SoundError(path: path, .full) }
    samplesLeft -= samples.count
    var block = format.container == .ogg ? AudioEncoder.vorbisBlock : AudioEncoder.block
    block -= block % format.channels
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
      peak = max(peak, quantise(samples, into: &shortSteps))
      written = sf_write_short(file, shortSteps, count)
    case 24:
      peak = max(peak, quantise(samples, into: &steps))
      written = sf_write_int(file, steps, count)
    default:
      peak = max(peak, samples.peak)
      written = sf_write_float(file, samples.baseAddress, count)
    }
    guard written == count, stream.failure == 0 else {
      throw failure(else: String(cString: sf_strerror(file)))
    }
  }

  /// Writes buffered data and the header.
  /// - Throws: `SoundError`.
  func finish() throws(SoundError) {
    let status = sf_close(file)
    file = nil
    guard status == 0, stream.failure == 0 else {
      throw failure(else: status > 0 ? String(cString: sf_error_number(status)) : "it could not be completed")
    }
  }

  /// An error with the system's message, otherwise libsndfile's.
  ///
  /// libsndfile comes last: it has no error number for a failed write, and prints a message when asked about one.
  private func failure(else message: @autoclosure () -> String) -> SoundError {
    SoundError(
      path: path, .unwritable(reason: stream.failure != 0 ? reason(stream.failure) : message()))
  }

  /// The format as libsndfile's number.
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
