import OSC

/// For which hosts a certificate vouches.
struct CertificateNames: Hashable, Sendable {
  /// Without wildcards, in lower case.
  var names: [String] = []
  var addresses: [IPAddress] = []

  /// The host under which a browser that asked for another one reaches this server without a warning.
  /// - Parameter host: a name in lower case or an address, without a port.
  func host(insteadOf host: String) -> String {
    let isNamed = names.contains(host) || IPAddress(host).map { addresses.contains($0) } ?? false
    return isNamed ? host : names.first ?? host
  }
}
