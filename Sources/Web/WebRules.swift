import Glibc
import OSC

/// Decides which requests are meant for this server and come from its own page.
///
/// Any web page can have a browser send requests to this machine. A name of the attacker's that points to it is found out by the
/// header `Host`, another page's script by the header `Origin`.
struct WebRules: Sendable {
  /// Where the server listens.
  let address: IPAddress
  /// The machine's name, under which mDNS finds it as `NAME.local`.
  var machineName = WebRules.ownName
  /// Of the certificate; nil if there is none.
  var certificate: CertificateNames?
  /// Whether the request came over an encrypted connection.
  var isEncrypted = false

  /// The status that refuses a request; nil if it may be served.
  /// - Parameters:
  ///   - hosts: all headers `Host`.
  ///   - origins: all headers `Origin`. Programs that are no browsers send none.
  ///   - isForwarded: whether a proxy has passed the request on. Its clients can't be told from this machine's.
  func refusal(hosts: [String], origins: [String], isForwarded: Bool = false) -> Int? {
    guard !isForwarded else { return 403 }
    guard hosts.count == 1, let host = hosts.first?.lowercased() else { return 400 }
    guard isOwn(host) else { return 421 }
    guard origins.count <= 1 else { return 400 }
    guard let origin = origins.first?.lowercased() else { return nil }
    return origin == (isEncrypted ? "https" : "http") + "://\(host)" ? nil : 403
  }

  /// Where a request is to be sent that could be encrypted and is not; nil if it may be served as it is. Within this machine
  /// nobody listens.
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
    // What does not begin with a slash could change the host: `@evil.example`.
    let path = target.hasPrefix("/") ? target : "/"
    return "https://" + (better.contains(":") ? "[\(better)]" : better) + port + path
  }

  /// Whether a header `Host` names this machine. Its port may be that of a tunnel.
  private func isOwn(_ host: String) -> Bool {
    guard let name = WebRules.name(of: host) else { return false }
    if name == "localhost" || name == machineName.lowercased() + ".local" { return true }
    if let certificate, certificate.names.contains(name) { return true }
    guard let literal = IPAddress(name) else { return false }
    return literal.isLoopback || literal == address
      || address.isWildcard && IPAddress.ofThisMachine.contains(literal)
  }

  /// The name without its port; nil if it is malformed.
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
