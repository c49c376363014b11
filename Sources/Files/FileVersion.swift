import Glibc

/// Which file is at a path, and when it was last written; or that there is none.
package struct FileVersion: Equatable, Sendable {
  private struct File: Equatable {
    let identity: FileIdentity
    /// In bytes.
    let size: Int
    /// The time of the last change of its content, since 1970.
    let seconds: Int
    let nanoseconds: Int
  }

  /// nil if there is no file, or if its status can't be read: then it can't be replaced either.
  private let file: File?

  /// Symbolic links are followed.
  /// - Thread: any but audio
  package init(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      file = nil
      return
    }
    file = File(
      identity: FileIdentity(status), size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }
}
