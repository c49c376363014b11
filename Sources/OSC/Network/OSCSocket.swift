import CLiblo
import Glibc

/// A datagram socket that never blocks. `deinit` closes it.
///
/// - Thread: osc, once it is open.
final class OSCSocket {
  let descriptor: Int32
  private let family: Int32

  init(family: Int32) throws(OSCStartError) {
    self.family = family
    let flags = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    descriptor = socket(family, flags, 0)
    guard descriptor >= 0 else { throw .system("OSC socket", errno) }
    // Buffers a storm of messages while a handler runs. The system may grant less.
    var size: Int32 = 1 << 20
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  /// Sends one datagram. Never blocks.
  /// - Returns: 0 or the system's error; `EAFNOSUPPORT` if the peer's address is of another family.
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32 {
    guard case (var name, let size)? = address(of: peer) else { return EAFNOSUPPORT }
    while true {
      let count = withSocketAddress(&name) {
        sendto(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL), $0, size)
      }
      if count >= 0 { return 0 }
      guard errno == EINTR else { return errno }
    }
  }

  /// The address and port that the system gave a bound UDP socket.
  var endpoint: OSCPeer {
    var name = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = withSocketAddress(&name) { getsockname(descriptor, $0, &size) }
    return OSCPeer(socketAddress: &name, size: Int(size))
  }

  /// - Returns: 0 or the system's error.
  func bind(to peer: OSCPeer) -> Int32 {
    guard case (var name, let size)? = address(of: peer) else { return EAFNOSUPPORT }
    return withSocketAddress(&name) { Glibc.bind(descriptor, $0, size) } == 0 ? 0 : errno
  }

  /// Connects, to check whether a program listens there.
  /// - Returns: 0 or the system's error.
  func connect(to peer: OSCPeer) -> Int32 {
    guard case (var name, let size)? = address(of: peer) else { return EAFNOSUPPORT }
    return withSocketAddress(&name) { Glibc.connect(descriptor, $0, size) } == 0 ? 0 : errno
  }

  private func address(of peer: OSCPeer) -> (sockaddr_storage, socklen_t)? {
    var storage = sockaddr_storage()
    switch peer {
    case .udp(let address, let port) where family == AF_INET && address.isIPv4:
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = port.bigEndian
      name.sin_addr = address.ipv4
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in.self) }
      return (storage, socklen_t(MemoryLayout<sockaddr_in>.size))
    case .udp(let address, let port) where family == AF_INET6:
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = port.bigEndian
      name.sin6_addr = address.ipv6
      name.sin6_scope_id = address.scope
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in6.self) }
      return (storage, socklen_t(MemoryLayout<sockaddr_in6>.size))
    case .unix(let path) where family == AF_UNIX && path.utf8.count <= OSCPeer.pathLimit:
      storage.ss_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &storage) { $0[2...].copyBytes(from: path.utf8) }
      return (storage, socklen_t(2 + path.utf8.count + 1))
    default: return nil
    }
  }
}

extension OSCPeer {
  /// Reads a socket address.
  /// - Parameter size: how many bytes of it the system has written.
  init(socketAddress name: UnsafePointer<sockaddr_storage>, size: Int) {
    guard size >= MemoryLayout<sa_family_t>.size else {
      // A sender on the UNIX socket without a path has no address: the storage contains an older one.
      self = .anonymous
      return
    }
    let bytes = UnsafeRawBufferPointer(start: name, count: MemoryLayout<sockaddr_storage>.size)
    switch Int32(name.pointee.ss_family) {
    case AF_INET:
      let name = bytes.load(as: sockaddr_in.self)
      self = .udp(IPAddress(name.sin_addr), port: UInt16(bigEndian: name.sin_port))
    case AF_INET6:
      let name = bytes.load(as: sockaddr_in6.self)
      self = .udp(
        IPAddress(name.sin6_addr, scope: name.sin6_scope_id), port: UInt16(bigEndian: name.sin6_port))
    default:
      let path = bytes[min(2, size)..<min(size, bytes.count)].prefix { $0 != 0 }
      guard path.first == UInt8(ascii: "/"), let text = String(validating: path, as: UTF8.self) else {
        self = .anonymous
        return
      }
      self = .unix(path: text)
    }
  }
}

/// Calls `body` with a socket address of the type that the system's calls take.
private func withSocketAddress<Result>(
  _ storage: inout sockaddr_storage, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
) -> Result {
  withUnsafeMutablePointer(to: &storage) {
    // Socket addresses are designed for this cast: every kind begins with the family, as `sockaddr` does.
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
  }
}
