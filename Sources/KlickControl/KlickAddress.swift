import Glibc
import OSC

/// Reads the return addresses that klick's clients send.
enum KlickAddress {
  /// Reads a port or a URL; nil for anything else. The machine's own name, which liblo writes into a program's own URL, and
  /// `localhost` mean 127.0.0.1. No other name is looked up.
  static func peer(_ text: String, from sender: OSCPeer) -> OSCPeer? {
    let loopback = "127.0.0.1"
    if let peer = OSCPeer(url: text, host: sender.address ?? IPAddress(loopback)) { return peer }
    let scheme = "osc.udp://"
    for name in ["localhost", ownName] where text.hasPrefix("\(scheme)\(name):") {
      return OSCPeer(url: scheme + loopback + text.dropFirst(scheme.count + name.count))
    }
    return nil
  }

  private static var ownName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    gethostname(&bytes, bytes.count - 1)
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
