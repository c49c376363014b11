/// Limits of the resources that clients may use.
enum WebLimits {
  /// Connections at a time: in total, from all other machines, and from one other machine.
  static let connections = 64
  static let remoteConnections = 48
  static let connectionsOfOne = 16

  /// The size of a header field and of all headers in bytes, and the number of headers.
  static let headerField = 4_096
  static let headers = 8_192
  static let headerCount = 64
  /// Seconds from the connection to the end of its answer, or to the start of its WebSocket.
  static let request: Int64 = 10

  /// The size of the longest frame or message in bytes, as of the longest datagram, and the number of frames in a message.
  static let frame = 8_192
  static let fragments = 8
  /// Frames of a client that are read at once, and per second. A fader sends one for each frame of a display.
  static let burst = 400.0
  static let rate = 400.0
  /// Bytes that are read in one call.
  static let reading = 2_048
  /// Bytes that may wait to be sent to a client. Each datagram counts `overhead` bytes more. The oldest are dropped first.
  static let outgoing = 65_536
  static let overhead = 64
  /// Seconds that a client has to receive the frame that closes its connection.
  static let farewell: Int64 = 1
  /// Seconds between pings, and seconds without any frame after which a client is disconnected.
  static let ping: Int64 = 15
  static let silence: Int64 = 45
  /// Clients that may be connected without having paired, and for how many seconds: their user looks for the PIN. The page
  /// reconnects by itself.
  static let strangers = 16
  static let strangeness: Int64 = 120
  /// The size of the system's send and receive buffers for a client, in bytes.
  static let socketBuffer = 65_536
}
