import Glibc

/// A file that is written in pieces, and appears under its name only when it is complete.
package final class StreamedFile {
  private let path: String
  private let destination: String
  private let temporary: String
  private var descriptor: Int32

  /// Creates a temporary file beside the path. If the path is a symbolic link, the link stays and its target is replaced.
  /// - Parameter mode: of the new file.
  /// - Throws: `WriteError`. No temporary file is left then.
  package init(_ path: String, mode: mode_t = 0o644) throws(WriteError) {
    self.path = path
    destination = try followingLinks(path)
    var status = stat()
    if stat(destination, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw WriteError(path: path, reason: "not a regular file")
    }
    temporary = WholeFile.temporaryName(beside: destination)
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw WriteError(path: path, errno) }
  }

  /// Removes the temporary file, unless `finish` succeeded.
  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(temporary)
  }

  /// Appends bytes.
  /// - Throws: `WriteError`. Some bytes may have been written.
  package func write(_ bytes: [UInt8]) throws(WriteError) {
    let failure = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    guard failure == 0 else { throw WriteError(path: path, failure) }
  }

  /// Writes the file to disk and moves it to its path.
  /// - Throws: `WriteError`. The file at the path is unchanged then.
  package func finish() throws(WriteError) {
    guard fsync(descriptor) == 0, rename(temporary, destination) == 0 else {
      throw WriteError(path: path, errno)
    }
    close(descriptor)
    descriptor = -1
  }
}
