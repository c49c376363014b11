import Glibc
import OSC

/// Addresses of the web page.
enum WebAddress {
  /// The URL of the page for a browser on this machine.
  static func url(_ address: String, port: UInt16) -> String {
    let isWildcard = IPAddress(address)?.isWildcard ?? false
    return "http://\(host(isWildcard ? "127.0.0.1" : address)):\(port)/"
  }

  /// The URL of the page with a key. Browsers don't send the part after `#`.
  static func url(_ address: IPAddress, port: UInt16, token: String) -> String {
    "http://\(host("\(address)")):\(port)/#t=\(token)"
  }

  /// The addresses under which other machines may reach this one, IPv4 first.
  static var reachable: [IPAddress] {
    IPAddress.ofThisMachine.filter { !$0.isLoopback && $0.scope == 0 }.sorted { $0.isIPv4 && !$1.isIPv4 }
  }

  private static func host(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

  /// Whether a program listens on a TCP port of an address of this machine.
  static func isServed(_ address: IPAddress, port: UInt16) -> Bool {
    var hints = addrinfo()
    (hints.ai_flags, hints.ai_socktype) = (AI_NUMERICHOST | AI_NUMERICSERV, Int32(SOCK_STREAM.rawValue))
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo("\(address)", "\(port)", &hints, &found) == 0, let found else { return false }
    defer { freeaddrinfo(found) }
    let descriptor = socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0
  }
}
