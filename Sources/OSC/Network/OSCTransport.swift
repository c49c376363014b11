/// Sends datagrams to peers: through a server's sockets, or in a simulation.
protocol OSCTransport {
  /// Sends a datagram. Never blocks.
  /// - Returns: 0, or the system's error. `EAGAIN` and `ENOBUFS`: the peer accepts nothing for the moment.
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32
}

/// Sends datagrams to peers on connections, which the server's sockets do not reach.
package protocol OSCCarrier: Sendable {
  /// Sends a datagram. Never blocks.
  /// - Returns: 0, or the system's error, such as `ENOTCONN`.
  /// - Thread: osc
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32
}
