/// Carries datagrams to peers: the sockets of a server, or a simulation.
protocol OSCTransport {
  /// Sends a datagram without waiting.
  /// - Returns: 0, or the system's error. `EAGAIN` and `ENOBUFS`: the peer takes nothing for the moment.
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32
}

/// Carries datagrams to peers on connections of their own, beside the server's sockets.
package protocol OSCCarrier: Sendable {
  /// Sends a datagram without waiting.
  /// - Returns: 0, or the system's error, such as `ENOTCONN`.
  /// - Thread: osc
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32
}
