/// The sender or receiver of a message.
package enum OSCPeer: Hashable, Sendable {
  case udp(IPAddress, port: UInt16)
  case unix(path: String)
  /// A sender on the UNIX socket without a path of its own. It can't be answered.
  case anonymous
  /// A client on a connection that an `OSCCarrier` maintains, such as a browser on a WebSocket: the address of its machine, and
  /// the connection's number. The carrier has authorised it. `mayWrite` is false if it may only read.
  case connected(IPAddress, number: Int, mayWrite: Bool)

  /// Reads `osc.udp://127.0.0.1:9000/`, `osc.udp://[::1]:9000/`, `osc.unix:///run/user/1000/lamp` or a bare port on
  /// `host`; nil for anything else. Addresses must be numeric, ports 1 to 65535, paths absolute and at most 107 bytes.
  ///
  /// - Thread: any.
  package init?(url: String, host: IPAddress? = nil) {
    if let host, let port = Self.port(url) {
      self = .udp(host, port: port)
    } else if let rest = Self.rest(of: url, after: "osc.udp://") {
      guard let (name, port) = Self.hostAndPort(rest), let address = IPAddress(name), !address.isWildcard
      else {
        return nil
      }
      self = .udp(address, port: port)
    } else if let path = Self.rest(of: url, after: "osc.unix://") {
      guard path.hasPrefix("/"), path.utf8.count <= Self.pathLimit, !path.utf8.contains(0) else { return nil }
      self = .unix(path: String(path))
    } else {
      return nil
    }
  }

  /// The URL, which `init(url:)` reads; nil for a peer that has none: an anonymous or connected one.
  package var url: String? {
    switch self {
    case .udp(let address, let port):
      address.isIPv4 ? "osc.udp://\(address):\(port)/" : "osc.udp://[\(address)]:\(port)/"
    case .unix(let path): "osc.unix://\(path)"
    case .anonymous, .connected: nil
    }
  }

  /// The IP address; nil for a peer on the UNIX socket.
  package var address: IPAddress? {
    switch self {
    case .udp(let address, _), .connected(let address, _, _): address
    case .unix, .anonymous: nil
    }
  }

  /// The IP address of a UDP peer on another machine. nil for a peer whose address others can't forge: one on this machine, or
  /// one on a connection.
  package var remoteAddress: IPAddress? {
    if case .udp(let address, _) = self, !address.isLoopback { address } else { nil }
  }

  /// The address of the peer's machine; nil if it is this machine.
  package var machine: IPAddress? { address.flatMap { $0.isLoopback ? nil : $0 } }

  /// Whether it is on a connection. Its subscriptions end with the connection.
  package var isConnected: Bool { if case .connected = self { true } else { false } }

  /// Whether the peer may change values and send commands, and not only read.
  package var mayWrite: Bool { if case .connected(_, _, let mayWrite) = self { mayWrite } else { true } }

  /// The longest path of a UNIX socket, in bytes.
  static let pathLimit = 107

  private static func rest(of url: String, after prefix: String) -> Substring? {
    url.hasPrefix(prefix) ? url.dropFirst(prefix.count) : nil
  }

  private static func hostAndPort(_ text: Substring) -> (host: String, port: UInt16)? {
    let whole = text.hasSuffix("/") ? text.dropLast() : text
    guard let colon = whole.lastIndex(of: ":"), let port = port(whole[whole.index(after: colon)...]) else {
      return nil
    }
    let name = whole[..<colon]
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    guard isBracketed || !name.contains(":") else { return nil }
    return (String(isBracketed ? name.dropFirst().dropLast() : name), port)
  }

  /// A port in ASCII digits, 1…65535.
  private static func port(_ text: some StringProtocol) -> UInt16? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text), port > 0 else {
      return nil
    }
    return port
  }
}

extension OSCPeer: CustomStringConvertible {
  package var description: String {
    if case .connected(let address, let number, _) = self { return "web client \(number) at \(address)" }
    return url ?? "a sender without a path"
  }
}
