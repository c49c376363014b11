import Glibc

/// The sockets of a running server: UDP, and UNIX if a path is given. Datagrams for peers on connections go to their carrier.
///
/// - Thread: osc, once it is open.
final class OSCSockets: OSCTransport {
  let udp: OSCSocket
  let unix: OSCSocket?
  /// The address and port of the UDP socket; the port is never 0.
  let endpoint: OSCPeer
  private let connections: OSCConnections
  private let path: String?
  private let file: FileIdentity?

  /// - Throws: `OSCStartError`.
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

  /// Binds the first free one of `portCount` ports.
  private static func bind(
    _ address: IPAddress, _ configuration: OSCServer.Configuration
  ) throws(OSCStartError) -> OSCSocket {
    var port = configuration.port
    for _ in 1..<max(configuration.portCount, 1) where port < .max {
      do { return try .udp(address, port: port) } catch  where error.cause == .inUse { port += 1 }
    }
    return try .udp(address, port: port)
  }

  /// Removes the UNIX socket's path, unless another program has replaced the file there.
  deinit {
    if let path, let file, FileIdentity(path) == file { unlink(path) }
  }

  /// Sends a datagram. Never blocks.
  /// - Returns: 0 or the system's error.
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32 {
    switch peer {
    case .udp: udp.send(bytes, to: peer)
    case .unix: unix?.send(bytes, to: peer) ?? EAFNOSUPPORT
    case .connected: connections.send(bytes, to: peer)
    case .anonymous: EDESTADDRREQ
    }
  }

  /// All addresses and paths under which the server can be reached.
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
  /// The present addresses of this machine's interfaces; empty if the system does not report them.
  /// - Thread: any
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
