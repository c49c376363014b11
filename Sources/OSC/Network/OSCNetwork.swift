import Validation

/// A range of addresses that may speak: `192.168.1.0/24`, or a single address.
package struct OSCNetwork: Hashable, Sendable, CustomStringConvertible {
  /// The first address of the range.
  package let address: IPAddress
  /// How many leading bits an address shares with it: 0 to 32, or to 128 for IPv6.
  package let prefix: Int

  /// Reads `ADDRESS/PREFIX`, or `ADDRESS` for that one alone. Bits after the prefix don't matter.
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

  /// Whether an address lies in the range. IPv4 and IPv6 never lie in each other's.
  ///
  /// - Thread: any.
  package func contains(_ other: IPAddress) -> Bool {
    guard other.isIPv4 == address.isIPv4 else { return false }
    return (other.bits ^ address.bits) >> UInt128(address.width - prefix) == 0
  }

  /// Whether some address lies in both ranges.
  package func overlaps(_ other: OSCNetwork) -> Bool {
    prefix <= other.prefix ? contains(other.address) : other.contains(address)
  }

  package var description: String { "\(address)/\(prefix)" }
}
