import Validation

/// A range of IP addresses: `192.168.1.0/24`, or a single address.
package struct OSCNetwork: Hashable, Sendable, CustomStringConvertible {
  /// The first address of the range.
  package let address: IPAddress
  /// How many leading bits all addresses of the range have in common: 0…32 for IPv4, 0…128 for IPv6.
  package let prefix: Int

  /// Reads `ADDRESS/PREFIX`, or `ADDRESS` for a single address. Bits after the prefix are ignored.
  ///
  /// - Throws: `InvalidValue` for a name, a bad address or a prefix out of range.
  package init(_ text: String) throws(InvalidValue) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(String(first)) else {
      throw InvalidValue(
        "OSC network", text, allowed: "a numeric address, or one with a prefix like 192.168.1.0/24")
    }
    var prefix = address.width
    if parts.count == 2 {
      guard let given = Int(parts[1]), (0...address.width).contains(given) else {
        throw InvalidValue(
          "OSC network", text, allowed: "an address with a prefix from /0 to /\(address.width)")
      }
      prefix = given
    }
    let host = address.width - prefix
    let bits = host == 128 ? 0 : (address.bits >> UInt128(host)) << UInt128(host)
    self.address = IPAddress(bits: bits, isIPv4: address.isIPv4)
    self.prefix = prefix
  }

  /// Whether the range contains an address. An IPv4 range contains no IPv6 address, and vice versa.
  ///
  /// - Thread: any.
  package func contains(_ other: IPAddress) -> Bool {
    guard other.isIPv4 == address.isIPv4 else { return false }
    return (other.bits ^ address.bits) >> UInt128(address.width - prefix) == 0
  }

  /// Whether both ranges contain a common address.
  package func overlaps(_ other: OSCNetwork) -> Bool {
    prefix <= other.prefix ? contains(other.address) : other.contains(address)
  }

  package var description: String { "\(address)/\(prefix)" }
}
