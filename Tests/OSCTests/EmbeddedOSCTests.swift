import OSCBench
import Synchronization
import TestBench
import Testing

@testable import OSC

@Suite struct EmbeddedOSCTests {
  private let peer = OSCPeer(url: "osc.udp://127.0.0.1:9000")!
  private let stranger = OSCPeer(url: "osc.udp://10.1.2.3:9000")!
  private let second: UInt64 = 1_000_000_000

  /// A server that sends every message back to its sender, and answers a fault with its reason.
  private func echo() -> (server: OSCServer, osc: EmbeddedOSC) {
    let reference = WeakBox<OSCServer>()
    let server = OSCServer(
      onMessages: { messages, peer, _ in reference.object?.send(messages, to: peer) },
      onFault: { fault, peer in
        reference.object?.send([OSCMessage("/fault", .string(fault.reason))], to: peer)
      })
    reference.object = server
    return (server, server.embed(at: OSCPeer(url: "osc.udp://127.0.0.1:9700")!))
  }

  @Test func datagramsGoInAndOutWithoutSockets() {
    let (server, osc) = echo()
    let sent = osc.run([.init(message("/a"), peer), .init(message("/b", "i", word(7)), peer)], at: second)
    #expect(sent == [.init(message("/a"), peer), .init(message("/b", "i", word(7)), peer)])
    #expect(osc.run(at: second).isEmpty)
    #expect(server.counts.received == 2 && server.counts.sent == 2)
  }

  @Test func badDatagramsAndStrangersAreRefusedAsByTheRealServer() throws {
    let (server, osc) = echo()
    #expect(osc.run([.init(message("/a"), stranger)], at: second).isEmpty)
    let long = [UInt8](repeating: 0x2f, count: OSCDatagram.lengthLimit + 4)
    let sent = osc.run([.init([1, 2, 3], peer), .init(long, peer)], at: second)
    #expect(
      try sent.map { try OSCDatagram($0.bytes).messages } == [
        [OSCMessage("/fault", .string("datagram of 3 bytes: the length must be a multiple of 4, from 4"))],
        [OSCMessage("/fault", .string("datagram of 8196 bytes: at most 8192 are read"))],
      ])
    #expect(server.counts.refused == 3)
  }

  @Test func aSlowPeerIsTriedAgainUntilItsTimeIsOver() {
    let (server, osc) = echo()
    osc.accepts = { _ in false }
    #expect(osc.run([.init(message("/a"), peer)], at: second).isEmpty)
    #expect(osc.deadline(at: second) == second + OSCSender.interval)
    osc.accepts = { _ in true }
    #expect(osc.run(at: second + OSCSender.interval) == [.init(message("/a"), peer)])
    #expect(osc.deadline(at: second) == nil)
    osc.accepts = { _ in false }
    _ = osc.run([.init(message("/b"), peer)], at: 2 * second)
    _ = osc.run(at: 2 * second + OSCSender.patience)
    #expect(server.counts.dropped == 1)
  }

  @Test func theSameDatagramsAtTheSameInstantsGiveTheSameDatagrams() {
    let inputs = corpus.enumerated().map { (UInt64($0.offset) * 1_000_000, $0.element) }
    let runs = (0..<2).map { _ in
      let (server, osc) = echo()
      return withExtendedLifetime(server) { inputs.flatMap { osc.run([.init($0.1, peer)], at: $0.0) } }
    }
    #expect(runs[0] == runs[1] && runs[0].count >= corpus.count - 1)
  }
}
