/// Why a datagram or an address was refused, in words for the sender.
public struct OSCFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address of the message at fault, where it could be read.
  public let address: String?
  /// What was wrong, and with which value.
  public let reason: String

  public init(address: String? = nil, reason: String) {
    self.address = address
    self.reason = reason
  }

  public var description: String { address.map { "\($0): \(reason)" } ?? reason }
}
