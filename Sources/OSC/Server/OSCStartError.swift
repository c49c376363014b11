import Glibc

/// Why the server did not start. The description says what was requested, the cause, and what would be right.
package struct OSCStartError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Cause: Hashable, Sendable {
    /// Another program uses the port or the socket's path.
    case inUse
    /// The machine has no such address, or the text is not a numeric address.
    case badAddress
    /// The path is too long or not absolute, its folder does not exist, or it leads to a file of another kind.
    case badPath
    case noPermission
    /// The server is already running.
    case running
    /// Another error of the system, as `errno`.
    case system(Int32)
  }

  package let cause: Cause
  package let description: String

  init(_ cause: Cause, _ description: String) {
    self.cause = cause
    self.description = description
  }

  /// The error for a failed `bind` of a UDP socket.
  static func binding(_ address: IPAddress, _ port: UInt16, _ code: Int32) -> OSCStartError {
    switch code {
    case EADDRINUSE:
      OSCStartError(.inUse, "OSC port \(port) on \(address) is taken by another program")
    case EADDRNOTAVAIL, EAFNOSUPPORT:
      OSCStartError(
        .badAddress, "OSC address \(address): must be an address of this machine, or 0.0.0.0 for all of them")
    case EACCES, EPERM:
      OSCStartError(.noPermission, "OSC port \(port): not permitted; ports from 1024 are open to every user")
    default: .system("OSC port \(port) on \(address)", code)
    }
  }

  /// The error for a failed `bind` of a UNIX socket.
  static func binding(path: String, _ code: Int32) -> OSCStartError {
    switch code {
    case ENOENT, ENOTDIR:
      OSCStartError(.badPath, "OSC socket \(path): its folder must exist")
    case EACCES, EPERM, EROFS:
      OSCStartError(.noPermission, "OSC socket \(path): its folder must be one that you may write in")
    default: .system("OSC socket \(path)", code)
    }
  }

  static func system(_ what: String, _ code: Int32) -> OSCStartError {
    OSCStartError(.system(code), "\(what): \(String(cString: strerror(code)))")
  }
}
