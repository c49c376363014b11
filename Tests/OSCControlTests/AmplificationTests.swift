import Foundation
import OSC
import OSCBench
import Testing

@testable import OSCControl

/// A remote address that asks for more than it sends. It needs a network of its own, as `make test` gives to the tests.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["TACTUS_NETWORK"] == "own"))
struct AmplificationTests {
  /// An address of the block that is reserved for documents.
  private static let address = "192.0.2.9"

  private func rig() throws -> (RemoteRig, Peer) {
    let ip = Process()
    ip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    ip.arguments = ["ip", "address", "replace", AmplificationTests.address + "/32", "dev", "lo"]
    try ip.run()
    ip.waitUntilExit()
    let network = try OSCNetwork(AmplificationTests.address + "/32")
    let rig = try RemoteRig { configuration in
      configuration.address = "0.0.0.0"
      configuration.networks = [network]
    }
    return (rig, Peer(address: AmplificationTests.address))
  }

  private func length(_ messages: [OSCMessage]) -> Int {
    messages.reduce(0) { $0 + LibloWriter.length(of: $1) }
  }

  private func datagram(_ address: String, _ arguments: OSCArgument...) -> [UInt8] {
    Datagrams.of([OSCMessage(address, arguments: arguments)], at: nil)[0]
  }

  /// What the peer is sent until a pong comes after the conductor has had all of its messages, without the pongs. A pong
  /// overtakes answers: some may come later.
  private func answers(_ rig: RemoteRig, _ peer: Peer, number: Int32) -> (sent: Int, received: [OSCMessage]) {
    let first = roundTrip(rig, peer, .int32(number), .string("arrived"))
    rig.rig.settle()
    let second = roundTrip(rig, peer, .int32(number), .string("answered"))
    return (first.sent + second.sent, first.received + second.received)
  }

  private func roundTrip(
    _ rig: RemoteRig, _ peer: Peer, _ arguments: OSCArgument...
  ) -> (sent: Int, received: [OSCMessage]) {
    let ping = Datagrams.of([OSCMessage("/tactus/ping", arguments: arguments)], at: nil)[0]
    peer.send(ping, to: rig.port)
    var received: [OSCMessage] = []
    while let messages = peer.receive() {
      if messages == [OSCMessage("/tactus/pong", arguments: arguments)] { return (ping.count, received) }
      received += messages
    }
    Issue.record("no pong")
    return (ping.count, received)
  }

  @Test func aQueryIsAnsweredWithTenTimesItsBytesAtMostAndInFullOnceThatIsEarned() throws {
    let (rig, peer) = try rig()
    let query = datagram("/tactus/query")
    peer.send(query, to: rig.port)
    // It gets something at once, before it has sent anything else.
    var received = try #require(peer.receive())
    var sent = query.count
    #expect(length(received) <= 10 * sent)
    // Whatever it sends earns the rest.
    let all = AddressSpace.endpoints.count { $0.value != nil }
    for number: Int32 in 1...100 where received.count < all {
      let more = answers(rig, peer, number: number)
      sent += more.sent
      received += more.received
      #expect(length(received) <= 10 * sent)
    }
    #expect(Set(received.map(\.address)).count == all)
  }

  @Test func aQueryThatIsLongEnoughIsAnsweredInFullAtOnce() throws {
    let (rig, peer) = try rig()
    let query = datagram("/tactus/query", .string(String(repeating: "-", count: 220)))
    peer.send(query, to: rig.port)
    let all = AddressSpace.endpoints.count { $0.value != nil }
    var received: [OSCMessage] = []
    for number: Int32 in 0..<10 where received.count < all {
      received += answers(rig, peer, number: number).received
    }
    #expect(received.count == all)
    // The query alone has earned them.
    #expect(length(received) <= 10 * query.count)
  }

  @Test func anOlderValueIsNotSentAfterANewerOne() throws {
    let (rig, peer) = try rig()
    peer.send(datagram("/tactus/subscribe"), to: rig.port)
    rig.rig.settle()
    rig.send(OSCMessage("/tactus/clock/offset", .float(12)))
    var received: [OSCMessage] = []
    for number: Int32 in 0...40 { received += answers(rig, peer, number: number).received }
    let offsets = received.filter { $0.address == "/tactus/clock/offset" }
    #expect(offsets.last?.arguments == [.float(12)])
  }
}
