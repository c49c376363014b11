import Glibc
import OSC

/// What other machines can reach.
enum NetworkServices {
  /// The services that are open to the network: none for addresses of this machine alone.
  /// - Parameters:
  ///   - osc: the address on which OSC listens, and its port; nil if it does not.
  ///   - web: the same of the web page, which also answers OSCQuery.
  static func open(
    osc: (address: String, port: UInt16?), web: (address: String, port: UInt16?)
  ) -> [ServiceAnnouncer.Service] {
    var services: [ServiceAnnouncer.Service] = []
    if let port = osc.port, isOpen(osc.address) { services.append(.init("_osc._udp", port: port)) }
    if let port = web.port, isOpen(web.address) {
      services.append(.init("_oscjson._tcp", port: port))
      services.append(.init("_http._tcp", port: port, texts: ["path=/"]))
    }
    return services
  }

  /// This machine's name, without its domain.
  static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "this machine" }
    let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(name.prefix { $0 != "." })
  }

  private static func isOpen(_ address: String) -> Bool {
    IPAddress(address).map { !$0.isLoopback } ?? false
  }
}
