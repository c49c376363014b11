import Glibc

/// Replaces a file completely or not at all.
package enum WholeFile {
  /// Replaces a file's content. If the path is a symbolic link, the link stays and its target is replaced.
  /// - Parameters:
  ///   - mode: of the new file; nil for that of the replaced one.
  ///   - version: what may be replaced; nil for anything. A file that has changed, or appeared, since then stays.
  /// - Throws: `WriteError`; the file is then unchanged.
  /// - Thread: any but audio
  package static func write(
    _ bytes: some Collection<UInt8>, to path: String, mode: mode_t? = nil,
    replacing version: FileVersion? = nil
  ) throws(WriteError) {
    let destination = try followingLinks(path)
    var status = stat()
    let exists = stat(destination, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG {
      throw WriteError(path: path, reason: "not a regular file")
    }
    try replace(
      path, at: destination, with: Array(bytes), by: temporaryName(beside: destination), mode: mode ?? 0o644,
      access: mode == nil && exists ? Access(status) : nil, version: version)
  }

  /// Who may read and write a file.
  struct Access {
    let mode: mode_t
    private let group: gid_t

    init(_ status: stat) { (mode, group) = (status.st_mode & 0o777, status.st_gid) }

    /// The mode until the file has its group.
    var modeWithoutGroup: mode_t { mode & 0o707 }

    /// Gives the access to a new file. Only a member of the group can give a file to it: else no group has access.
    func apply(to descriptor: Int32) {
      var status = stat()
      let hasGroup = fstat(descriptor, &status) == 0 && status.st_gid == group
      fchmod(descriptor, hasGroup || fchown(descriptor, .max, group) == 0 ? mode : modeWithoutGroup)
    }
  }

  /// An unpredictable name in the same folder, so that other users can't create that file first.
  static func temporaryName(beside path: String) -> String {
    "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).new"
  }

  /// Replaces a file by one that is written under a temporary name.
  /// - Parameters:
  ///   - path: the path that errors name.
  ///   - destination: `path` with its links followed.
  ///   - temporary: the file that is written and then renamed. An existing file of that name is an error; it is neither
  ///     followed nor replaced.
  ///   - mode: of the new file, which the process's mask limits.
  ///   - access: of the new file, instead of the mode. Until the file is complete, nobody else may have more.
  ///   - version: what may be replaced; nil for anything.
  /// - Throws: `WriteError`.
  static func replace(
    _ path: String, at destination: String, with bytes: [UInt8], by temporary: String, mode: mode_t = 0o644,
    access: Access? = nil, version: FileVersion? = nil
  ) throws(WriteError) {
    let descriptor = open(
      temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, access?.modeWithoutGroup ?? mode)
    guard descriptor >= 0 else { throw WriteError(path: path, errno) }
    defer { unlink(temporary) }
    defer { close(descriptor) }
    let failure = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    guard failure == 0 else { throw WriteError(path: path, failure) }
    // Sync before the rename, or a power cut could leave the new name with incomplete content.
    guard fsync(descriptor) == 0 else { throw WriteError(path: path, errno) }
    access?.apply(to: descriptor)
    if let version, FileVersion(of: destination) != version {
      throw WriteError(
        path: path, reason: "another program has changed it at this moment: try again", isOvertaken: true)
    }
    guard rename(temporary, destination) == 0 else { throw WriteError(path: path, errno) }
  }

  /// Copies a file's content, mode and group, completely or not at all.
  /// - Throws: `WriteError`; the other file is then unchanged.
  /// - Thread: any but audio
  package static func copy(_ path: String, to other: String) throws(WriteError) {
    var status = stat()
    guard stat(path, &status) == 0, let bytes = content(of: path) else {
      throw WriteError(path: other, reason: "\(path) can't be read: \(String(cString: strerror(errno)))")
    }
    let destination = try followingLinks(other)
    try replace(
      other, at: destination, with: bytes, by: temporaryName(beside: destination), access: Access(status))
  }
}

/// A file that could not be written, and the reason.
package struct WriteError: Error, CustomStringConvertible {
  let path: String
  /// The system's message, or a text that says what to do.
  package let reason: String
  /// Whether the file was not replaced because another program has changed it since it was read.
  package let isOvertaken: Bool

  package init(path: String, reason: String, isOvertaken: Bool = false) {
    (self.path, self.reason, self.isOvertaken) = (path, reason, isOvertaken)
  }

  /// - Parameter code: the system's error number.
  package init(path: String, _ code: Int32) { self.init(path: path, reason: String(cString: strerror(code))) }

  package var description: String { "\(path) can't be written: \(reason)" }
}
