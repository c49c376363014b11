import Glibc

/// Why the server did not start: what was asked for, the cause, and what to do.
package struct OSCStartError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Cause: Hashable, Sendable {
    /// Another program has the port or the socket's path.
    case inUse
    /// The machine has no such address, or it isn't numeric.
    case badAddress
    /// The path is too long, its folder isn't there, or another kind of file is in its place.
    case badPath
    case noPermission
    /// The server runs already.
    case running
    /// Another error of the system.
    case system(Int32)
  }

  package let cause: Cause
  package let description: String

  init(_ cause: Cause, _ description: String) {
    self.cause = cause
    self.description = description
  }

  /// What a refused `bind` of a UDP socket means.
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

  /// What a refused `bind` of a UNIX socket means.
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
