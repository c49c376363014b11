import Glibc

/// Which file is at a path, and when it was last written.
package struct FileVersion: Equatable, Sendable {
  private let identity: FileIdentity
  /// In bytes.
  private let size: Int
  /// The time of the last change of its content, since 1970.
  private let seconds: Int
  private let nanoseconds: Int

  /// nil if there is no file, or if its status can't be read. Symbolic links are followed.
  /// - Thread: any but audio
  package init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (identity, size) = (FileIdentity(status), Int(status.st_size))
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
