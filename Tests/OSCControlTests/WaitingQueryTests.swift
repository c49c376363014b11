import OSC
import OSCBench
import Testing

@testable import OSCControl

@Suite struct WaitingQueryTests {
  @Test func `A repeated query for all values before the answer gets the newest values once`() throws {
    let rig = try EmbeddedRig()
    // Long enough to earn all of the answer.
    let query = OSCMessage("/tactus/query", .string(String(repeating: "x", count: 600)))
    let answers = rig.answers(query, OSCMessage("/tactus/tempo", .float(99)), query, query)
    #expect(answers.filter { $0.address == "/tactus/tempo" }.map(\.arguments) == [[.float(99)]])
    let later = rig.answers(query)
    #expect(later.filter { $0.address == "/tactus/tempo" }.map(\.arguments) == [[.float(99)]])
  }

  @Test func `Each peer waits for its own query`() {
    var waiting = WaitingQueries()
    let (one, other) = (OSCPeer(url: "osc.udp://127.0.0.1:1")!, OSCPeer(url: "osc.udp://127.0.0.1:2")!)
    let (first, second, third) = (waiting.add(one), waiting.add(other), waiting.add(one))
    let turns = [(first, one), (second, other), (third, one), (third, one)].map {
      waiting.take($0, of: $1)
    }
    #expect(turns == [false, true, true, false])
  }

  @Test func `An answer that is cut short does not cancel an earlier one`() throws {
    let rig = try EmbeddedRig()
    let peer = OSCPeer(url: "osc.udp://127.0.0.1:9001")!
    var received: Set<String> = []
    rig.carry = { received.formUnion((try? OSCDatagram($0.bytes).messages.map(\.address)) ?? []) }
    for address in ["/tactus/volume/*", "/tactus/pace/*"] { rig.send(OSCMessage(address), from: peer) }
    rig.settle()
    for _ in 0..<20 {
      rig.send(OSCMessage("/tactus/ping", .string("more, so that all is earned")), from: peer)
    }
    rig.settle()
    for prefix in ["/tactus/volume/", "/tactus/pace/"] {
      let all = AddressSpace.endpoints.filter { endpoint in
        endpoint.value != nil && endpoint.address.hasPrefix(prefix)
          && endpoint.address.dropFirst(prefix.count).allSatisfy { $0 != "/" }
      }
      #expect(all.count > 4 && all.allSatisfy { received.contains($0.address) }, "\(prefix)")
    }
  }
}
