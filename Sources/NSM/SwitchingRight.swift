import Glibc

/// The right to switch to another session without a restart. Only one of a session manager's clients has it.
///
/// To switch a client, nsmd (1.6.1) always picks the first client of that name, also if there are several. The others would
/// stay in the new session, and nsmd would start new ones beside them. So nsmd ends and starts those without the right.
final class SwitchingRight: Sendable {
  private let descriptor: Int32

  /// Acquires the right, and holds it until `deinit`; nil if another process has it.
  /// - Parameter url: the manager's URL.
  init?(manager url: String) {
    // An abstract socket name, without a file: it is free as soon as the process has ended.
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array("\0tactus-\(geteuid())-\(url)".utf8.prefix(MemoryLayout.size(ofValue: address.sun_path)))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard status == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
