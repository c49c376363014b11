import OSC

/// The hosts for which a certificate is valid.
struct CertificateNames: Hashable, Sendable {
  /// DNS names without wildcards, in lower case.
  var names: [String] = []
  var addresses: [IPAddress] = []

  /// The host to which a browser is redirected so that the certificate is valid there: `host` itself if it is valid, otherwise
  /// the first name of the certificate, or `host` if it has no names.
  /// - Parameter host: a name in lower case or an address, without a port.
  func host(insteadOf host: String) -> String {
    let isNamed = names.contains(host) || IPAddress(host).map { addresses.contains($0) } ?? false
    return isNamed ? host : names.first ?? host
  }
}
