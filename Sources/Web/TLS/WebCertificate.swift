/// The files of the user's own certificate, with which the page is served over https.
package struct WebCertificate: Hashable, Sendable {
  /// The path of a PEM file: the certificate, then the certificates of its issuers.
  package let chain: String
  /// The path of a PEM file with its private key.
  package let key: String

  package init(chain: String, key: String) { (self.chain, self.key) = (chain, key) }

  /// Whether the program was built with TLS.
  package static var isIncluded: Bool {
    #if TLS
      true
    #else
      false
    #endif
  }
}
