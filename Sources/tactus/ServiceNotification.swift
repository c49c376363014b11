import Glibc

/// Reports the state of a run to a service manager such as systemd (sd_notify(3)).
enum ServiceNotification {
  /// Sends a state to the socket in `NOTIFY_SOCKET`; does nothing if that is not set. Does not block.
  static func send(_ state: String) {
    guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), path.utf8.count > 1 else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), bytes[0] == 0x2F || bytes[0] == 0x40
    else {
      return
    }
    // An abstract socket is written with @ and begins with a zero byte.
    if bytes[0] == 0x40 { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, state, state.utf8.count, Int32(MSG_DONTWAIT), $0, length)
      }
    }
  }
}
