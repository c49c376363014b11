/// Tactus's names and addresses in JACK and OSC.
struct Connection: Sendable {
  var client: String
  var server: String
  /// The URL of the UDP port.
  var osc: String?
  var port: UInt16?
  /// The path of the UNIX socket.
  var socket: String?
  /// The URL of the web page; nil if there is none.
  var web: String?
}
