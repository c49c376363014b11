import Glibc
import OSC

/// Decides which requests are addressed to this server and come from its own page.
///
/// Any web page can make a browser send requests to this machine. The header `Host` reveals an attacker's name that points to
/// this machine (DNS rebinding), the header `Origin` a script of another page.
struct WebRules: Sendable {
  /// The address on which the server listens.
  let address: IPAddress
  /// The machine's name. mDNS finds the machine as `NAME.local`.
  var machineName = WebRules.ownName
  /// The hosts of the certificate; nil if there is none.
  var certificate: CertificateNames?
  /// Whether the request came over an encrypted connection.
  var isEncrypted = false

  /// The HTTP status that refuses a request; nil if it may be served.
  /// - Parameters:
  ///   - hosts: all headers `Host`.
  ///   - origins: all headers `Origin`. Programs other than browsers send none.
  ///   - isForwarded: whether a proxy has forwarded the request. Its clients can't be distinguished from those of this machine.
  func refusal(hosts: [String], origins: [String], isForwarded: Bool = false) -> Int? {
    guard !isForwarded else { return 403 }
    guard hosts.count == 1, let host = hosts.first?.lowercased() else { return 400 }
    guard isOwn(host) else { return 421 }
    guard origins.count <= 1 else { return 400 }
    guard let origin = origins.first?.lowercased() else { return nil }
    return origin == (isEncrypted ? "https" : "http") + "://\(host)" ? nil : 403
  }

  /// The https address to which an unencrypted request is redirected; nil if it may be served as it is: without a certificate,
  /// and from this machine, within which the traffic can't be intercepted.
  /// - Parameters:
  ///   - host: the header `Host`, which was checked.
  ///   - target: of the request line.
  func redirection(from client: IPAddress, host: String, target: String) -> String? {
    guard let certificate, !isEncrypted, !client.isLoopback, let name = WebRules.name(of: host) else {
      return nil
    }
    let isIPv6 = host.hasPrefix("[")
    let port = host.dropFirst(isIPv6 ? name.count + 2 : name.count)
    let better = certificate.host(insteadOf: name.lowercased())
    // A target that does not begin with a slash could change the host: `@evil.example`.
    let path = target.hasPrefix("/") ? target : "/"
    return "https://" + (better.contains(":") ? "[\(better)]" : better) + port + path
  }

  /// Whether a header `Host` names this machine. Its port may be the port of a tunnel.
  private func isOwn(_ host: String) -> Bool {
    guard let name = WebRules.name(of: host) else { return false }
    if name == "localhost" || name == machineName.lowercased() + ".local" { return true }
    if let certificate, certificate.names.contains(name) { return true }
    guard let literal = IPAddress(name) else { return false }
    return literal.isLoopback || literal == address
      || address.isWildcard && IPAddress.ofThisMachine.contains(literal)
  }

  /// The host without its port; nil if it is malformed.
  private static func name(of host: String) -> String? {
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]"), isPort(host[host.index(after: end)...]) else { return nil }
      return String(host[host.index(after: host.startIndex)..<end])
    }
    let name = host.prefix { $0 != ":" }
    return isPort(host[name.endIndex...]) ? String(name) : nil
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && UInt16(text.dropFirst()) != nil
  }

  private static var ownName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    gethostname(&bytes, bytes.count - 1)
    let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(name.prefix { $0 != "." })
  }
}
