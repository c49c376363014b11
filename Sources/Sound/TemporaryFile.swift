import Files
import Glibc

/// A file that becomes visible only when it is complete.
///
/// It has no name if the file system allows that (`O_TMPFILE`), so that even a killed process leaves nothing behind.
/// Otherwise it has a hidden name beside the destination, and is removed when the object is dropped.
final class TemporaryFile {
  /// Open for reading and writing.
  let descriptor: Int32

  private let path: String
  private let destination: String
  private var name: String?

  /// Creates the file in the folder of `path`.
  ///
  /// - Parameter nameless: false to use a hidden name at once.
  /// - Throws: `SoundError` if `path` exists and is not a regular file, or its folder can't be written to.
  init(for path: String, nameless: Bool = true) throws(SoundError) {
    self.path = path
    // Replace the file that a link points to, not the link.
    do throws(WriteError) { destination = try followingLinks(path) } catch {
      throw SoundError(path: path, .unwritable(reason: error.reason))
    }
    var status = stat()
    if stat(destination, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw SoundError(path: path, .notAFile)
    }

    var descriptor: Int32 = -1
    if nameless {
      let folder = destination.contains("/") ? folder(of: destination) : "."
      descriptor = open(folder, TemporaryFile.tmpfile | O_RDWR | O_CLOEXEC, 0o666)
    }
    if descriptor < 0 {
      let name = TemporaryFile.sibling(of: destination)
      descriptor = open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0o666)
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

  /// Moves the file to the destination in one step.
  ///
  /// - Throws: `SoundError`; the destination is then unchanged.
  func commit() throws(SoundError) {
    if name == nil {
      // Only a rename can replace an existing file, and a rename needs a name.
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

  /// An unused hidden name in the folder of `path`.
  private static func sibling(of path: String) -> String {
    let name = ".tactus-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
    let folder = folder(of: path)
    return folder.isEmpty ? name : "\(folder)/\(name)"
  }
}
