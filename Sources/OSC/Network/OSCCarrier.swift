/// Carries datagrams to peers on connections of their own, beside the server's sockets.
package protocol OSCCarrier: Sendable {
  /// Sends a datagram without waiting.
  /// - Returns: 0, or the system's error, such as `ENOTCONN`.
  /// - Thread: osc
  func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32
}
