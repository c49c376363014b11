import Glibc

/// A file that does not exist until it is complete.
///
/// It has no name at all where the file system allows that (`O_TMPFILE`), so that even a killed process leaves
/// nothing; otherwise a hidden name beside the destination, removed when the file is dropped.
final class TemporaryFile {
  /// Open for reading and writing.
  let descriptor: Int32

  private let path: String
  private let destination: String
  private var name: String?

  /// Makes the file in the folder of `path`.
  ///
  /// - Parameter nameless: false to try a hidden name at once.
  /// - Throws: `SoundError` if `path` is something other than a regular file, or its folder can't be written.
  init(for path: String, nameless: Bool = true) throws(SoundError) {
    self.path = path
    var destination = path
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { throw SoundError(path: path, .notAFile) }
      // Replace the file that a link points to, not the link.
      if let real = realpath(path, nil) {
        destination = String(cString: real)
        free(real)
      }
    }
    self.destination = destination

    var descriptor: Int32 = -1
    if nameless {
      let folder = destination.contains("/") ? String(TemporaryFile.folder(of: destination)) : "."
      descriptor = open(folder, TemporaryFile.tmpfile | O_RDWR | O_CLOEXEC, 0o666)
    }
    if descriptor < 0 {
      let name = TemporaryFile.sibling(of: destination)
      descriptor = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw SoundError(path: path, .unwritable(reason: reason(errno))) }
      self.name = name
    }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
    if let name {
      unlink(name)
    }
  }

  /// Puts the file in the destination's place, in one step.
  ///
  /// - Throws: `SoundError`; the destination is then untouched.
  func commit() throws(SoundError) {
    if name == nil {
      // Only a rename replaces an existing file, and only a file with a name can be renamed.
      let name = TemporaryFile.sibling(of: destination)
      let status = linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW)
      guard status == 0 else { throw SoundError(path: path, .unwritable(reason: reason(errno))) }
      self.name = name
    }
    guard let name else { return }
    guard rename(name, destination) == 0 else {
      throw SoundError(path: path, .unwritable(reason: reason(errno)))
    }
    self.name = nil
  }

  /// `O_TMPFILE`, a macro that Swift does not import: `__O_TMPFILE | O_DIRECTORY` in <fcntl.h>.
  private static let tmpfile: Int32 = 0o20_000_000 | O_DIRECTORY

  /// Up to and with the last slash.
  private static func folder(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[...$0] } ?? ""
  }

  /// A hidden name that no other file has, in the folder of `path`.
  private static func sibling(of path: String) -> String {
    let mark = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    return "\(folder(of: path)).tactus-\(mark).part"
  }
}
