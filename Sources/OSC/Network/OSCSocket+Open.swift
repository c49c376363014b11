import Glibc

extension OSCSocket {
  /// Opens a UDP socket on an address of this machine.
  /// - Parameter port: 0 for any free one.
  /// - Throws: `OSCStartError`.
  static func udp(_ address: IPAddress, port: UInt16) throws(OSCStartError) -> OSCSocket {
    let made = try OSCSocket(family: address.isIPv4 ? AF_INET : AF_INET6)
    if !address.isIPv4 {
      // `::` also receives IPv4, as users expect of "all addresses".
      var no: Int32 = 0
      setsockopt(made.descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout<Int32>.size))
    }
    let code = made.bind(to: .udp(address, port: port))
    guard code == 0 else { throw .binding(address, port, code) }
    return made
  }

  /// Opens a UNIX socket at a path, which only this user may access. Replaces a socket that an ended process left there.
  /// - Throws: `OSCStartError`.
  static func unix(_ path: String) throws(OSCStartError) -> OSCSocket {
    guard path.hasPrefix("/"), path.utf8.count <= OSCPeer.pathLimit, !path.utf8.contains(0) else {
      throw OSCStartError(
        .badPath, "OSC socket \(path): must be an absolute path of at most \(OSCPeer.pathLimit) bytes")
    }
    let made = try OSCSocket(family: AF_UNIX)
    fchmod(made.descriptor, 0o600)
    var code = made.bind(to: .unix(path: path))
    if code == EADDRINUSE {
      try removeStale(path)
      code = made.bind(to: .unix(path: path))
    }
    guard code == 0 else {
      throw code == EADDRINUSE ? inUse(path) : .binding(path: path, code)
    }
    return made
  }

  private static func removeStale(_ path: String) throws(OSCStartError) {
    guard let file = FileIdentity(path), file.isSocket else {
      throw OSCStartError(
        .badPath, "OSC socket \(path): a file of another kind is there; it must be a free path")
    }
    let code = try OSCSocket(family: AF_UNIX).connect(to: .unix(path: path))
    guard code == ECONNREFUSED else { throw code == EACCES ? .binding(path: path, code) : inUse(path) }
    unlink(path)
  }

  private static func inUse(_ path: String) -> OSCStartError {
    OSCStartError(.inUse, "OSC socket \(path) is taken by another program")
  }
}

/// Identifies the file at a path, so that the server can later check that it is still the same file.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let inode: ino_t
  let isSocket: Bool

  static func == (one: FileIdentity, other: FileIdentity) -> Bool {
    one.device == other.device && one.inode == other.inode
  }

  /// nil if there is no file at the path.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    isSocket = status.st_mode & S_IFMT == S_IFSOCK
  }
}
