/// What clients may cost.
enum WebLimits {
  /// Connections at a time: all, those of other machines together, and those of one of them.
  static let connections = 64
  static let remoteConnections = 48
  static let connectionsOfOne = 16

  /// Bytes of a header field, and of all of them.
  static let headerField = 4_096
  static let headers = 8_192
  static let headerCount = 64
  /// Seconds from a connection to the end of its answer. A WebSocket has begun by then.
  static let request: Int64 = 10

  /// Bytes of a frame, and of a message in several: those of the longest datagram.
  static let frame = 8_192
  static let fragments = 8
  /// Frames of a client that are read at once, and a second. A fader sends one for each frame of a display.
  static let burst = 400.0
  static let rate = 400.0
  /// Bytes that are read at once.
  static let reading = 2_048
  /// Bytes that wait to be sent to a client, each datagram with `overhead`. The oldest go first.
  static let outgoing = 65_536
  static let overhead = 64
  /// Seconds that a client gets to take the frame that closes its connection.
  static let farewell: Int64 = 1
  /// Seconds between pings, and after which a client from which nothing has come is gone.
  static let ping: Int64 = 15
  static let silence: Int64 = 45
  /// Clients that are not paired, and seconds that one may stay: its user looks for the PIN. The page comes back by itself.
  static let strangers = 16
  static let strangeness: Int64 = 120
  /// Bytes of what the system may hold for a client.
  static let socketBuffer = 65_536
}
