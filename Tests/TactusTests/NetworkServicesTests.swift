import OSC
import Testing

@testable import tactus

@Suite struct NetworkServicesTests {
  @Test func `Only services that are open to the network are announced`() throws {
    typealias Service = ServiceAnnouncer.Service
    let osc = Service("_osc._udp", port: 9_700)
    let page = Service("_http._tcp", port: 9_700, texts: ["path=/"])
    let query = Service("_oscjson._tcp", port: 9_700)
    /// With the options of a command line.
    func open(_ options: String..., port: UInt16? = 9_700) throws -> [Service] {
      let osc = try OSCOptions.parse(options.filter { $0.hasPrefix("--osc") || $0.hasPrefix("--no") })
      let web = try WebOptions.parse(options.filter { $0.hasPrefix("--web") })
      return NetworkServices(
        oscPort: 9_700, oscNetworks: osc.networks, webPort: port, webNetworks: web.networks,
        isEncrypted: web.certificate != nil
      ).open
    }
    let (oscAll, webAll) = ("--osc-bind=0.0.0.0", "--web-bind=0.0.0.0")
    let (oscNet, webNet) = ("--osc-allow=192.168.1.0/24", "--web-allow=192.168.1.0/24")
    try #expect(open() == [])
    try #expect(open("--osc-bind=::1", oscNet, webNet) == [])
    try #expect(open(oscAll, oscNet) == [osc])
    try #expect(open(oscAll, oscNet, webAll, webNet) == [osc, query, page])
    try #expect(open(oscAll, "--osc-allow=192.168.1.7", webAll, webNet) == [osc, query, page])
    // What an OSCQuery app would need is closed to it: UDP, reading without a key, plain http.
    try #expect(open(webAll, webNet, oscNet) == [page])
    try #expect(open(oscAll, "--osc-allow=10.0.0.0/8", webAll, webNet) == [osc, page])
    try #expect(
      open(oscAll, oscNet, webAll, webNet, "--web-certificate=a.pem", "--web-key=b.pem") == [osc, page])
    // The page could not be served.
    try #expect(open(oscAll, oscNet, webAll, webNet, port: nil) == [osc])
  }
}
