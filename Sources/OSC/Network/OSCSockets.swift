import Glibc

/// The sockets of a running server: UDP, and UNIX if a path is given. What is for peers on connections goes to their carrier.
///
/// - Thread: osc, once it is open.
final class OSCSockets: OSCTransport {
  let udp: OSCSocket
  let unix: OSCSocket?
  /// Where UDP listens, with the real port.
  let endpoint: OSCPeer
  private let connections: OSCConnections
  private let path: String?
  private let file: FileIdentity?

  init(_ configuration: OSCServer.Configuration, connections: OSCConnections) throws(OSCStartError) {
    self.connections = connections
    guard let address = IPAddress(configuration.address) else {
      throw OSCStartError(
        .badAddress,
        "OSC address \(configuration.address): must be numeric, like 127.0.0.1, or 0.0.0.0 for all")
    }
    udp = try OSCSockets.bind(address, configuration)
    endpoint = udp.endpoint
    path = configuration.path
    if let path {
      unix = try .unix(path)
      file = FileIdentity(path)
    } else {
      unix = nil
      file = nil
    }
  }

  /// The first free one of the ports that may be taken.
  private static func bind(
    _ address: IPAddress, _ configuration: OSCServer.Configuration
  ) throws(OSCStartError) -> OSCSocket {
    var port = configuration.port
    for _ in 1..<max(configuration.portCount, 1) where port < .max {
      do { return try .udp(address, port: port) } catch  where error.cause == .inUse { port += 1 }
    }
    return try .udp(address, port: port)
  }

  /// Removes the UNIX socket's path, unless somebody else has put another file there.
  deinit {
    if let path, let file, FileIdentity(path) == file { unlink(path) }
  }

  /// Sends without waiting; 0 or the system's error.
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32 {
    switch peer {
    case .udp: udp.send(bytes, to: peer)
    case .unix: unix?.send(bytes, to: peer) ?? EAFNOSUPPORT
    case .connected: connections.send(bytes, to: peer)
    case .anonymous: EDESTADDRREQ
    }
  }

  /// Every name under which the server itself could be addressed.
  var ownNames: Set<OSCPeer> {
    var names: Set<OSCPeer> = [endpoint]
    if let path { names.insert(.unix(path: path)) }
    if case .udp(let address, let port) = endpoint, address.isWildcard {
      for address in IPAddress.ofThisMachine { names.insert(.udp(address, port: port)) }
    }
    return names
  }
}

extension IPAddress {
  /// The addresses of this machine's interfaces, as they are now.
  package static var ofThisMachine: [IPAddress] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { entry -> IPAddress? in
      guard let address = entry?.pointee.ifa_addr else { return nil }
      let raw = UnsafeRawPointer(address)
      switch Int32(address.pointee.sa_family) {
      case AF_INET: return IPAddress(raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
      case AF_INET6:
        let name = raw.loadUnaligned(as: sockaddr_in6.self)
        return IPAddress(name.sin6_addr, scope: name.sin6_scope_id)
      default: return nil
      }
    }
  }
}
