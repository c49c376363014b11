import Glibc

/// A folder that only this user can write to.
package struct PrivateFolder: Sendable {
  /// The path as given.
  package let path: String

  /// Why the folder can't be used.
  package enum AccessError: Error, CustomStringConvertible {
    /// It can't be created or entered.
    case unavailable(String, reason: String)
    /// Another user may have written to it.
    case unsafe(String, reason: String)

    package var description: String {
      switch self {
      case .unavailable(let path, let reason): "\(path): \(reason)"
      case .unsafe(let path, let reason):
        "\(path) \(reason): must be a folder that only you can write (mode 700)"
      }
    }
  }

  /// Opens the folder. Missing folders on the path are created with mode 700.
  /// - Throws: `AccessError`.
  package init(_ path: String) throws(AccessError) {
    self.path = path
    let failure = PrivateFolder.make(path)
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else {
      let reason = String(cString: strerror(failure ?? errno))
      var status = stat()
      guard lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
        throw .unsafe(path, reason: "is a link or a file")
      }
      throw .unavailable(path, reason: reason)
    }
    defer { close(folder) }
    var (own, above) = (stat(), stat())
    guard fstat(folder, &own) == 0, fstatat(folder, "..", &above, 0) == 0 else {
      throw .unavailable(path, reason: String(cString: strerror(errno)))
    }
    guard own.st_uid == geteuid() else { throw .unsafe(path, reason: "belongs to another user") }
    guard own.st_mode & 0o022 == 0 else { throw .unsafe(path, reason: "can be written by others") }
    // A user who can write to the parent could have replaced the folder. In a sticky parent such as /tmp only the owner can.
    guard above.st_mode & 0o022 == 0 || above.st_mode & S_ISVTX != 0 else {
      throw .unsafe(path, reason: "lies in a folder that others can write")
    }
    _ = fchmod(folder, 0o700)
  }

  /// Creates the folder of a file as `make` does.
  /// - Throws: `WriteError` with the reason why the folder can't be created. Without it the file's own error would only say
  ///   that the folder does not exist.
  package static func makeFolder(of file: String) throws(WriteError) {
    let folder = folder(of: file)
    guard let failure = make(folder), !isFolder(folder) else { return }
    throw WriteError(path: file, failure)
  }

  /// Creates a folder and its missing parents with mode 700. Existing folders stay. Errors appear when the folder is used.
  /// - Returns: the number of the error that prevented the creation of the last folder; nil if there was none.
  @discardableResult
  package static func make(_ path: String) -> Int32? {
    var end = path.startIndex
    var error: Int32?
    while end < path.endIndex {
      end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      if mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST {
        error = nil
      } else if errno != ENOENT || error == nil {
        // ENOENT only follows from the error that prevented the creation of a parent, so that error stays.
        error = errno
      }
    }
    return error
  }
}
