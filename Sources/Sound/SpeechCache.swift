import Files
import Glibc

/// Cached speech, as WAV files in a folder that only this user can write to. A full cache drops the least recently used files.
struct SpeechCache: Sendable {
  let folder: String
  /// The size limit in bytes.
  var limit = 64_000_000

  /// A cached text; nil if it is missing or damaged.
  /// - Throws: `SpeechError.unsafe`.
  func samples(_ name: String, sampleRate: Int) throws(SpeechError) -> [Float]? {
    guard access(folder, F_OK) == 0, try isUsable() else { return nil }
    let file = open(path(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard SpeechCache.isWhole(file) else { return nil }
    // Mark it as recently used.
    _ = futimens(file, nil)
    return try? SampleReader(path: path(name)).samples(of: file, sampleRate: sampleRate)
  }

  /// Caches a WAV file if the disk has room.
  /// - Throws: `SpeechError.unsafe`.
  func keep(_ wave: [UInt8], as name: String) throws(SpeechError) {
    guard try isUsable(), (try? WholeFile.write(wave, to: path(name))) != nil else { return }
    prune()
  }

  private func path(_ name: String) -> String { "\(folder)/\(name).wav" }

  /// Whether the folder exists or can be created.
  private func isUsable() throws(SpeechError) -> Bool {
    do throws(PrivateFolder.AccessError) { _ = try PrivateFolder(folder) } catch {
      if case .unsafe = error { throw .unsafe("\(error)") }
      return false
    }
    return true
  }

  /// Whether a WAV file is as long as its header says.
  private static func isWhole(_ file: Int32) -> Bool {
    var header = [UInt8](repeating: 0, count: 12)
    var status = stat()
    guard pread(file, &header, 12, 0) == 12, fstat(file, &status) == 0 else { return false }
    let size = header[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    return header.starts(with: Array("RIFF".utf8)) && Int(status.st_size) == size + 8
  }

  /// Removes the least recently used files until the cache is within the limit.
  private func prune() {
    let names = names(inFolder: folder).filter { $0.hasSuffix(".wav") }
    var files = names.compactMap { name -> (path: String, status: stat)? in
      var status = stat()
      let path = "\(folder)/\(name)"
      return lstat(path, &status) == 0 ? (path, status) : nil
    }
    var bytes = files.reduce(0) { $0 + Int($1.status.st_size) }
    guard bytes > limit else { return }
    files.sort {
      let (one, other) = ($0.status.st_mtim, $1.status.st_mtim)
      return (one.tv_sec, one.tv_nsec) < (other.tv_sec, other.tv_nsec)
    }
    for file in files where bytes > limit {
      unlink(file.path)
      bytes -= Int(file.status.st_size)
    }
  }
}
