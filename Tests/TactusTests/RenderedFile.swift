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

/// Runs `tactus` with arguments to its end.
func tactus(_ arguments: String..., within limit: Duration = .seconds(30)) throws -> (ExitStatus, Subprocess)
{
  try tactus(arguments, within: limit)
}

func tactus(_ arguments: [String], within limit: Duration = .seconds(30)) throws -> (ExitStatus, Subprocess) {
  let process = try Subprocess(try Subprocess.built("tactus"), arguments)
  return (try process.waitForExit(within: limit), process)
}
