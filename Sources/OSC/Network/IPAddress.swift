import Glibc

/// A numeric IPv4 or IPv6 address. Host names are never looked up.
package struct IPAddress: Hashable, Sendable {
  /// The address as a number; an IPv4 address fills the low 32 bits.
  package let bits: UInt128
  package let isIPv4: Bool
  /// The index of a link-local IPv6 address's interface; 0 for none.
  package let scope: UInt32

  init(bits: UInt128, isIPv4: Bool, scope: UInt32 = 0) {
    self.bits = bits
    self.isIPv4 = isIPv4
    self.scope = scope
  }

  /// Reads `192.168.1.5`, `::1` or `fe80::1%eth0`; nil for anything else. A mapped IPv4 address
  /// (`::ffff:192.168.1.5`) is read as IPv4.
  package init?(_ text: String) {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(four)
      return
    }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var six = in6_addr()
    guard let address = parts.first, inet_pton(AF_INET6, String(address), &six) == 1 else { return nil }
    let scope = parts.count == 2 ? if_nametoindex(String(parts[1])) : 0
    guard parts.count == 1 || scope != 0 else { return nil }
    self.init(six, scope: scope)
  }

  /// Reads 4 or 16 bytes in network byte order, as certificates contain them; nil for another number of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.init(bits: bytes.reduce(0) { $0 << 8 | UInt128($1) }, isIPv4: bytes.count == 4)
  }

  init(_ address: in_addr) {
    self.init(bits: UInt128(UInt32(bigEndian: address.s_addr)), isIPv4: true)
  }

  init(_ address: in6_addr, scope: UInt32) {
    let bits = withUnsafeBytes(of: address) { $0.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } }
    let isMapped = bits >> 32 == 0xffff
    self.init(bits: isMapped ? bits & 0xffff_ffff : bits, isIPv4: isMapped, scope: isMapped ? 0 : scope)
  }

  /// Whether it is a loopback address: 127.0.0.0/8 or ::1.
  package var isLoopback: Bool { isIPv4 ? bits >> 24 == 127 : bits == 1 }

  /// Whether it is the wildcard address, which means all addresses of the machine: 0.0.0.0 or ::.
  package var isWildcard: Bool { bits == 0 }

  /// The length of an address of this family in bits: 32 or 128.
  var width: Int { isIPv4 ? 32 : 128 }

  var ipv4: in_addr { in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian) }

  /// The address for an IPv6 socket; an IPv4 address is mapped.
  var ipv6: in6_addr {
    let whole = isIPv4 ? 0xffff << 32 | bits : bits
    var address = in6_addr()
    withUnsafeMutableBytes(of: &address) { bytes in
      for index in bytes.indices {
        bytes[index] = UInt8(truncatingIfNeeded: whole >> UInt128(8 * (15 - index)))
      }
    }
    return address
  }
}

extension IPAddress: CustomStringConvertible {
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isIPv4 {
      var address = ipv4
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    } else {
      var address = ipv6
      inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    }
    let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard scope != 0 else { return address }
    var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
    guard if_indextoname(scope, &name) != nil else { return "\(address)%\(scope)" }
    return address + "%"
      + String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
