import CSndfile
import TestBench

/// A sound file that was written.
struct RenderedFile {
  let samples: [Float]
  let sampleRate: Int
  let format: Int32

  init(_ path: String) throws {
    var information = SF_INFO()
    guard let file = sf_open(path, Int32(SFM_READ), &information) else {
      throw BenchError("\(path): " + String(cString: sf_strerror(nil)))
    }
    defer { sf_close(file) }
    var samples = [Float](repeating: 0, count: Int(information.frames))
    let count = sf_readf_float(file, &samples, information.frames)
    guard count == information.frames, information.channels == 1 else { throw BenchError("\(path): short") }
    self.samples = samples
    sampleRate = Int(information.samplerate)
    format = information.format
  }
}

/// What a WAV file tells a DAW beside its samples.
struct RenderedNotes {
  struct Marker: Equatable {
    let frame: Int
    let name: String
  }

  let markers: [Marker]
  /// Frames from midnight.
  let timeReference: Int?

  init(_ path: String) throws {
    var information = SF_INFO()
    guard let file = sf_open(path, Int32(SFM_READ), &information) else {
      throw BenchError("\(path): " + String(cString: sf_strerror(nil)))
    }
    defer { sf_close(file) }
    var count: UInt32 = 0
    sf_command(file, Int32(SFC_GET_CUE_COUNT), &count, Int32(MemoryLayout<UInt32>.size))
    let size = 4 + Int(count) * MemoryLayout<SF_CUE_POINT>.stride
    let cues = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    defer { cues.deallocate() }
    sf_command(file, Int32(SFC_GET_CUE), cues, Int32(size))
    markers = (0..<Int(count)).map { index in
      let cue = (cues + 4 + index * MemoryLayout<SF_CUE_POINT>.stride).loadUnaligned(as: SF_CUE_POINT.self)
      let name = withUnsafeBytes(of: cue.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return Marker(frame: Int(cue.sample_offset), name: name)
    }
    var broadcast = SF_BROADCAST_INFO()
    let isThere =
      sf_command(
        file, Int32(SFC_GET_BROADCAST_INFO), &broadcast, Int32(MemoryLayout<SF_BROADCAST_INFO>.size))
      == SF_TRUE
    let (high, low) = (Int(broadcast.time_reference_high), Int(broadcast.time_reference_low))
    timeReference = isThere ? high << 32 | low : nil
  }
}

/// Runs `tactus` with arguments to its end.
func tactus(_ arguments: String..., within limit: Duration = .seconds(30)) throws -> (ExitStatus, Subprocess)
{
  try tactus(arguments, within: limit)
}

func tactus(_ arguments: [String], within limit: Duration = .seconds(30)) throws -> (ExitStatus, Subprocess) {
  let process = try Subprocess(try Subprocess.built("tactus"), arguments)
  return (try process.waitForExit(within: limit), process)
}
