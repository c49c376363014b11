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
}
