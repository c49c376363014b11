import Files
import Glibc

/// The file of the practice log, before SQLite opens it.
package struct LogFile: Sendable {
  /// As given; symbolic links are not resolved.
  package let path: String

  package init(path: String) { self.path = path }

  /// The practice log of the user.
  package static var own: LogFile { LogFile(path: UserFolder.data.path + "/tactus/practice.sqlite") }

  /// The path with symbolic links resolved; nil if there is no file yet.
  /// - Throws: `LogError` if the path leads to something other than a regular file. It is not opened: opening a pipe could
  ///   block.
  func existing() throws(LogError) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw LogError(
        .unusable, "\(path) can't be used as the practice log: \(String(cString: strerror(errno)))")
    }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    guard stat(path, &status) == 0, let real = realpath(path, nil) else {
      throw LogError(
        .unusable,
        isLink
          ? "\(path) is a broken link: remove it, or create the file that it leads to"
          : "\(path) can't be used as the practice log: \(String(cString: strerror(errno)))")
    }
    defer { free(real) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw LogError(
        .unusable, "\(path) is a \(LogFile.kind(status.st_mode)), not a practice log: move it away")
    }
    return String(cString: real)
  }

  private static func kind(_ mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFDIR: "folder"
    case S_IFIFO: "pipe"
    case S_IFSOCK: "socket"
    default: "device"
    }
  }

  /// Creates an empty file that only its owner may read, and the folders above it. An existing file stays.
  /// - Throws: `LogError`.
  func create() throws(LogError) {
    let error = PrivateFolder.make(folder(of: path))
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    // Another Tactus may have created it in the meantime.
    guard file >= 0 || errno == EEXIST else {
      // If the folder is missing, the reason is why it could not be created.
      let reason = errno == ENOENT ? error ?? errno : errno
      throw LogError(.unusable, "\(path) can't be created: \(String(cString: strerror(reason)))")
    }
    close(file)
  }

  /// Whether writing to a path would replace the log or one of SQLite's files beside it.
  package func isReplaced(by path: String) -> Bool {
    guard let other = FileIdentity(path) else { return false }
    // If the log is a link, SQLite's files are beside its target.
    let log = (try? existing()) ?? self.path
    return ["", "-wal", "-shm", "-journal"].contains { FileIdentity(log + $0) == other }
  }

  /// Renames a damaged file and SQLite's files beside it. Nothing is deleted, and no other file is replaced.
  /// - Parameters:
  ///   - path: with symbolic links resolved.
  ///   - damaged: the file in which the damage was found.
  /// - Returns: the new path; nil if another Tactus has moved it already.
  /// - Throws: `LogError` if no name can be used.
  static func moveAside(_ path: String, damaged: FileIdentity) throws(LogError) -> String? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // If two programs find the damage, the lock makes the second one wait, and it then finds another file.
    _ = flock(file, LOCK_EX)
    guard FileIdentity(path) == damaged else { return nil }
    for number in 1...1_000 {
      let name = "\(path).damaged\(number == 1 ? "" : "-\(number)")"
      guard !fileExists(name + "-wal"), link(path, name) == 0 else {
        if fileExists(name) || fileExists(name + "-wal") { continue }
        break
      }
      // Move the journal first: a new database must never find it.
      for ending in ["-wal", "-shm"] where fileExists(path + ending) {
        rename(path + ending, name + ending)
      }
      unlink(path)
      return name
    }
    throw LogError(
      .unusable, "\(path) is damaged and can't be moved aside: \(String(cString: strerror(errno)))")
  }
}
