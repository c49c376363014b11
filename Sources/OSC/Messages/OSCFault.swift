/// Why a datagram or an address was refused. The sender receives it.
package struct OSCFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address of the faulty message, if it could be read.
  package let address: String?
  /// The reason, with the value that was refused.
  package let reason: String

  package init(address: String? = nil, reason: String) {
    self.address = address
    self.reason = reason
  }

  package var description: String { address.map { "\($0): \(reason)" } ?? reason }
}
