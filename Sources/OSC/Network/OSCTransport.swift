/// Carries datagrams to peers: the sockets of a server, or a simulation.
protocol OSCTransport {
  /// Sends a datagram without waiting.
  /// - Returns: 0, or the system's error. `EAGAIN` and `ENOBUFS`: the peer takes nothing for the moment.
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32
}
