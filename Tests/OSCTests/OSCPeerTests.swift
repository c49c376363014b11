import OSC
import OSCBench
import Testing

@Suite struct OSCPeerTests {
  @Test(arguments: ["osc.udp://127.0.0.1:9000/", "osc.udp://[::1]:9000/", "osc.unix:///tmp/lamp"])
  func aURLComesBackAsItWas(_ url: String) {
    #expect(OSCPeer(url: url)?.url == url)
  }

  @Test func aSlashAtTheEndMakesNoDifference() {
    #expect(OSCPeer(url: "osc.udp://127.0.0.1:9000") == OSCPeer(url: "osc.udp://127.0.0.1:9000/"))
  }

  @Test func aBarePortIsOneOnTheGivenHost() throws {
    let host = try #require(IPAddress("192.168.1.5"))
    #expect(OSCPeer(url: "9000", host: host) == .udp(host, port: 9000))
    #expect(OSCPeer(url: "9000") == nil)
  }

  @Test(arguments: [
    "", "osc.udp://localhost:9000/", "osc.udp://127.0.0.1/", "osc.udp://127.0.0.1:0/",
    "osc.udp://127.0.0.1:65536/",
    "osc.udp://127.0.0.1:+9000/", "osc.tcp://127.0.0.1:9000/", "osc.udp://::1:9000/",
    "osc.udp://0.0.0.0:9000/",
    "osc.unix://relative", "osc.udp://", "osc.udp://127.0.0.1:9000/path", "http://127.0.0.1:9000/",
  ])
  func anythingElseIsNone(_ url: String) {
    #expect(OSCPeer(url: url) == nil)
  }

  @Test func aPathThatIsTooLongIsNone() {
    #expect(OSCPeer(url: "osc.unix:///" + String(repeating: "a", count: 106)) != nil)
    #expect(OSCPeer(url: "osc.unix:///" + String(repeating: "a", count: 107)) == nil)
  }

  @Test func anIPv4AddressIsTheSameInIPv6Clothes() {
    #expect(IPAddress("::ffff:10.0.0.1") == IPAddress("10.0.0.1"))
  }
}
