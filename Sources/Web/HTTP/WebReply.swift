/// The answer to a request.
struct WebReply: Equatable, Sendable {
  var status: Int
  var type = "application/json"
  var body: [UInt8] = []
  /// The value of the header `Location`; nil for none.
  var location: String?

  static func failure(_ status: Int) -> WebReply { WebReply(status: status) }

  /// Redirects the client permanently. Browsers keep the fragment (after #) of the address.
  static func moved(to place: String) -> WebReply { WebReply(status: 308, location: place) }

  /// The headers of every answer.
  ///
  /// - Parameter host: the host that the request names, which was checked. Older browsers do not let `'self'` include
  ///   WebSockets.
  func headers(host: String) -> [(String, String)] {
    (location.map { [("Location", $0)] } ?? []) + [
      ("Content-Type", type), ("Content-Length", "\(body.count)"), ("Connection", "close"),
      ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("X-Frame-Options", "DENY"),
      (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; manifest-src 'self'; "
          + "connect-src 'self' ws://\(host) wss://\(host); base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      ),
    ]
  }
}
