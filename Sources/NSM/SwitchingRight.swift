import Glibc

/// The right to be taken to another session without a new start. One of a session manager's instances has it.
///
/// To switch a client, nsmd (1.6.1) takes the first of that name, for each of several alike: the others would stay in the new session,
/// and new ones be started beside them. Those without the right are ended and started.
final class SwitchingRight: Sendable {
  private let descriptor: Int32

  /// Takes the right, and holds it as long as this lives; nil if another process has it.
  /// - Parameter url: the manager's.
  init?(manager url: String) {
    // A name that is no file: it is free as soon as the process has ended.
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
