import Glibc
import OSC

/// The services that other machines can reach.
struct NetworkServices {
  /// The UDP port for OSC; nil if Tactus does not receive OSC.
  var oscPort: UInt16?
  /// The networks whose machines may send OSC.
  var oscNetworks: [OSCNetwork]
  /// The TCP port of the web page; nil if it is not served.
  var webPort: UInt16?
  /// The networks whose devices may open the page.
  var webNetworks: [OSCNetwork]
  /// Whether other machines can open the page only over https.
  var isEncrypted = false

  /// The services to announce on the network; a service that only this machine can reach is omitted.
  var open: [ServiceAnnouncer.Service] {
    var services: [ServiceAnnouncer.Service] = []
    if let oscPort, !oscNetworks.isEmpty { services.append(.init("_osc._udp", port: oscPort)) }
    if let webPort, !webNetworks.isEmpty {
      if isQueried { services.append(.init("_oscjson._tcp", port: webPort)) }
      services.append(.init("_http._tcp", port: webPort, texts: ["path=/"]))
    }
    return services
  }

  /// Whether an OSCQuery app on another machine, which supports neither keys nor https, can read the addresses and send to
  /// them.
  private var isQueried: Bool {
    !isEncrypted && oscPort != nil
      && webNetworks.contains { network in oscNetworks.contains(where: network.overlaps) }
  }

  /// This machine's name without its domain; `this machine` if it is not known.
  static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "this machine" }
    let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(name.prefix { $0 != "." })
  }
}
