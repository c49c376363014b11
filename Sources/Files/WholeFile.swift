import Glibc

/// A file that is written wholly or not at all.
public enum WholeFile {
  /// Puts bytes in a file's place; where a link leads to it, the link stays.
  /// - Throws: `WriteError`; the file is then what it was.
  public static func write(_ bytes: some Collection<UInt8>, to path: String) throws(WriteError) {
    var destination = path
    if let real = realpath(path, nil) {
      destination = String(cString: real)
      free(real)
    }
    var status = stat()
    if stat(destination, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw WriteError(path: path, reason: "not a regular file")
    }
    let temporary = "\(destination).\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw WriteError(path: path, errno) }
    defer { unlink(temporary) }
    defer { close(descriptor) }
    let failure = Array(bytes).withUnsafeBytes { writeAll($0, to: descriptor) }
    guard failure == 0 else { throw WriteError(path: path, failure) }
    // A power cut must not leave a new name on old blocks.
    guard fsync(descriptor) == 0 else { throw WriteError(path: path, errno) }
    guard rename(temporary, destination) == 0 else { throw WriteError(path: path, errno) }
  }
}

/// A file that could not be written, and why.
public struct WriteError: Error, CustomStringConvertible {
  let path: String
  let reason: String

  init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// - Parameter code: the system's error number.
  init(path: String, _ code: Int32) { self.init(path: path, reason: String(cString: strerror(code))) }

  public var description: String { "\(path) can't be written: \(reason)" }
}
