/// Where the user's own certificate is, with which the page is served over https.
package struct WebCertificate: Hashable, Sendable {
  /// The path of a PEM file: the certificate, then those that vouch for it.
  package let chain: String
  /// The path of a PEM file with its private key.
  package let key: String

  package init(chain: String, key: String) { (self.chain, self.key) = (chain, key) }

  /// Whether the program was built with it.
  package static var isIncluded: Bool {
    #if TLS
      true
    #else
      false
    #endif
  }
}
