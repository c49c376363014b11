import OSCBench
import Realtime
import Synchronization
import TestBench
import Testing

@testable import OSC

@Suite struct EmbeddedOSCTests {
  private let peer = OSCPeer(url: "osc.udp://127.0.0.1:9000")!
  private let stranger = OSCPeer(url: "osc.udp://10.1.2.3:9000")!
  private let start = Instant(nanoseconds: 1_000_000_000)

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
    let sent = osc.run([.init(message("/a"), peer), .init(message("/b", "i", word(7)), peer)], at: start)
    #expect(sent == [.init(message("/a"), peer), .init(message("/b", "i", word(7)), peer)])
    #expect(osc.run(at: start).isEmpty)
    #expect(server.counts.received == 2 && server.counts.sent == 2)
  }

  @Test func badDatagramsAndStrangersAreRefusedAsByTheRealServer() throws {
    let (server, osc) = echo()
    #expect(osc.run([.init(message("/a"), stranger)], at: start).isEmpty)
    let long = [UInt8](repeating: 0x2f, count: OSCDatagram.lengthLimit + 4)
    let sent = osc.run([.init([1, 2, 3], peer), .init(long, peer)], at: start)
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
    #expect(osc.run([.init(message("/a"), peer)], at: start).isEmpty)
    #expect(osc.deadline(at: start) == start + OSCSender.interval)
    osc.accepts = { _ in true }
    #expect(osc.run(at: start + OSCSender.interval) == [.init(message("/a"), peer)])
    #expect(osc.deadline(at: start) == nil)
    osc.accepts = { _ in false }
    let later = start + .seconds(1)
    _ = osc.run([.init(message("/b"), peer)], at: later)
    _ = osc.run(at: later + OSCSender.patience)
    #expect(server.counts.dropped == 1)
  }

  @Test func theSameDatagramsAtTheSameInstantsGiveTheSameDatagrams() {
    let inputs = corpus.enumerated().map { (start + .milliseconds($0.offset), $0.element) }
    let runs = (0..<2).map { _ in
      let (server, osc) = echo()
      return withExtendedLifetime(server) { inputs.flatMap { osc.run([.init($0.1, peer)], at: $0.0) } }
    }
    #expect(runs[0] == runs[1] && runs[0].count >= corpus.count - 1)
  }
}
