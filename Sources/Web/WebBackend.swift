import OSC
import OSCControl

/// What the web server serves: OSC messages over connections, and descriptions of the addresses.
///
/// - Thread: web
package protocol WebBackend: Sendable {
  /// Handles a datagram of a client. Returns at once.
  func receive(_ bytes: [UInt8], from peer: OSCPeer)
  /// Sends a client the present value of an address, and then each change.
  /// - Returns: false if there is no such address, or no room for another listener.
  func listen(_ peer: OSCPeer, to address: String) -> Bool
  /// Ends `listen` for an address.
  func ignore(_ peer: OSCPeer, _ address: String)
  /// Removes the subscriptions of a client whose connection has ended.
  func forget(_ peer: OSCPeer)
  /// Describes a node for OSCQuery.
  /// - Parameters:
  ///   - attribute: nil for all.
  ///   - answer: receives a function that makes the answer; nil if the conductor refuses the query. Thread: any
  func describe(
    path: String, attribute: String?,
    _ answer: @escaping @Sendable ((@Sendable () -> OSCQueryTree.Answer)?) -> Void)
}

extension OSCRemote: WebBackend {}
