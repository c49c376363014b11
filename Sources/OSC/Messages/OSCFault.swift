/// Why a datagram or an address was refused, as told to the sender.
public struct OSCFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address of the faulty message, if it could be read.
  public let address: String?
  /// The reason, with the value that was refused.
  public let reason: String

  public init(address: String? = nil, reason: String) {
    self.address = address
    self.reason = reason
  }

  public var description: String { address.map { "\($0): \(reason)" } ?? reason }
}
