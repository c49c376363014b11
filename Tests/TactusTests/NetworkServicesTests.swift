import OSC
import Testing

@testable import tactus

@Suite struct NetworkServicesTests {
  @Test func `What is open to the network is announced, and nothing else`() {
    typealias Service = ServiceAnnouncer.Service
    let osc = Service("_osc._udp", port: 9_700)
    let page = Service("_http._tcp", port: 9_700, texts: ["path=/"])
    let query = Service("_oscjson._tcp", port: 9_700)
    func open(_ osc: String, _ web: String, port: UInt16? = 9_700) -> [Service] {
      NetworkServices.open(osc: (osc, 9_700), web: (web, port))
    }
    #expect(open("127.0.0.1", "127.0.0.1") == [])
    #expect(open("::1", "127.0.0.1") == [])
    #expect(open("0.0.0.0", "127.0.0.1") == [osc])
    #expect(open("127.0.0.1", "192.168.1.5") == [query, page])
    #expect(open("::", "0.0.0.0") == [osc, query, page])
    // The page could not be served.
    #expect(open("0.0.0.0", "0.0.0.0", port: nil) == [osc])
  }
}
