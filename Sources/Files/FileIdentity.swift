import Glibc

/// Identifies a file independently of its path: a file is recognised under another path, and another file under the same path.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let inode: UInt

  /// The identity of the file at a path, with symbolic links followed; nil if there is none.
  /// - Thread: any but audio
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The identity of a file by its status.
  package init(_ status: stat) { (device, inode) = (UInt(status.st_dev), UInt(status.st_ino)) }
}
