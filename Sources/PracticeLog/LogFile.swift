import Files
import Glibc

/// The file of the practice log, before a database is opened in it.
package struct LogFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// The user's.
  package static var own: LogFile { LogFile(path: UserFolder.data.path + "/tactus/practice.sqlite") }

  /// Which file a path leads to, in spite of what is done to the path later.
  struct Identity: Equatable {
    let device: dev_t
    let number: ino_t
  }

  /// The path with its links followed; nil if there is no file yet.
  /// - Throws: `LogError` if something else than a file is there. It is not opened: a pipe would keep us waiting.
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
          ? "\(path) is a link that leads nowhere: remove it, or make the file that it should lead to"
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

  /// Makes an empty file that its owner alone may read, with the folders above it.
  func create() throws(LogError) {
    let error = PrivateFolder.make(folder(of: path))
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    // Another Tactus may have made it meanwhile.
    guard file >= 0 || errno == EEXIST else {
      // A file lacks its folder only where that could not be made.
      let reason = errno == ENOENT ? error ?? errno : errno
      throw LogError(.unusable, "\(path) can't be made: \(String(cString: strerror(reason)))")
    }
    close(file)
  }

  /// Whether writing a file of that path would replace the log, or what SQLite keeps beside it.
  package func isReplaced(by path: String) -> Bool {
    guard let other = LogFile.identity(of: path) else { return false }
    return ["", "-wal", "-shm", "-journal"].contains { LogFile.identity(of: self.path + $0) == other }
  }

  static func identity(of path: String) -> Identity? {
    var status = stat()
    return stat(path, &status) == 0 ? Identity(device: status.st_dev, number: status.st_ino) : nil
  }

  /// Gives a damaged file, and what SQLite keeps beside it, another name. Nothing is deleted, and no file is replaced.
  /// - Parameters:
  ///   - path: with its links followed.
  ///   - damaged: the file in which the damage was found.
  /// - Returns: the new name; nil if another Tactus has moved it already.
  static func moveAside(_ path: String, damaged: Identity) throws(LogError) -> String? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // Two that have found the damage move one after the other, and the second sees another file.
    _ = flock(file, LOCK_EX)
    guard identity(of: path) == damaged else { return nil }
    for number in 1...1_000 {
      let name = "\(path).damaged\(number == 1 ? "" : "-\(number)")"
      guard !fileExists(name + "-wal"), link(path, name) == 0 else {
        if fileExists(name) || fileExists(name + "-wal") { continue }
        break
      }
      // The journal goes first: a new database must never find it.
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
