import Glibc
import OSC

/// What other machines can reach.
struct NetworkServices {
  /// Of OSC; nil if it does not listen.
  var oscPort: UInt16?
  /// Whose programs may speak OSC.
  var oscNetworks: [OSCNetwork]
  /// Of the web page; nil if it is not served.
  var webPort: UInt16?
  /// Whose devices may open the page.
  var webNetworks: [OSCNetwork]
  /// Whether other machines get the page over https alone.
  var isEncrypted = false

  /// The services that are open to the network: none for addresses of this machine alone.
  var open: [ServiceAnnouncer.Service] {
    var services: [ServiceAnnouncer.Service] = []
    if let oscPort, !oscNetworks.isEmpty { services.append(.init("_osc._udp", port: oscPort)) }
    if let webPort, !webNetworks.isEmpty {
      if isQueried { services.append(.init("_oscjson._tcp", port: webPort)) }
      services.append(.init("_http._tcp", port: webPort, texts: ["path=/"]))
    }
    return services
  }

  /// Whether an OSCQuery app elsewhere, which knows neither keys nor https, can read the addresses and send to them.
  private var isQueried: Bool {
    !isEncrypted && oscPort != nil
      && webNetworks.contains { network in oscNetworks.contains(where: network.overlaps) }
  }

  /// This machine's name, without its domain.
  static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "this machine" }
    let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(name.prefix { $0 != "." })
  }
}
