import Glibc
import Testing

@testable import OSC

@Suite struct OSCConnectionsTests {
  private let one = OSCPeer.connected(IPAddress("127.0.0.1")!, number: 1, mayWrite: true)
  private let other = OSCPeer.connected(IPAddress("127.0.0.1")!, number: 2, mayWrite: true)

  @Test func whoFloodsLosesItsOwnAndCostsAFixedAmount() {
    let connections = OSCConnections()
    var taken = 0
    for _ in 0..<100_000 where connections.add([UInt8](repeating: 0, count: 100), from: one) { taken += 1 }
    #expect(taken == OSCConnections.share / (100 + OSCInbox.overhead))
    #expect(connections.add([1], from: other))
    #expect(connections.drain().map(\.peer).last == other)
    #expect(connections.add([1], from: one))
  }

  @Test func withoutACarrierNobodyIsThere() {
    #expect([UInt8]([1]).withUnsafeBytes { OSCConnections().send($0, to: one) } == ENOTCONN)
  }

  @Test func aConnectionCanNotBeNamedByOthers() {
    #expect(one.url == nil)
    #expect(OSCPeer(url: "\(one)") == nil)
    #expect(one.remoteAddress == nil && one.isConnected)
  }
}
