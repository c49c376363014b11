import Testing

@testable import JACKClient

@Suite struct KeptConnectionsTests {
  /// A graph in which connections are made and taken away.
  private final class Graph {
    var ports: Set<String> = []
    var connected: [String: [String]] = ["control": []]

    func connect(_ port: String, _ peer: String) -> Bool {
      guard ports.contains(peer) else { return false }
      if connected[port]?.contains(peer) != true { connected[port, default: []].append(peer) }
      return true
    }

    func remove(_ peer: String) {
      ports.remove(peer)
      connected = connected.mapValues { $0.filter { $0 != peer } }
    }

    func restore(_ kept: inout KeptConnections) {
      kept.restore(connect: connect, candidates: { _ in self.ports.sorted() })
    }

    func note(_ kept: inout KeptConnections, renewed: Set<String> = []) {
      let isCertain = kept.note(connected: connected, exists: ports.contains, renewed: renewed)
      guard !isCertain else { return }
      let isDecided = kept.note(connected: connected, exists: ports.contains)
      #expect(isDecided)
    }
  }

  @Test func `A peer that goes is connected again whenever it comes back`() {
    let graph = Graph()
    graph.ports = ["pedal:out"]
    var kept = KeptConnections()
    _ = graph.connect("control", "pedal:out")
    graph.note(&kept)
    for _ in 0..<3 {
      graph.remove("pedal:out")
      graph.note(&kept)
      graph.restore(&kept)
      #expect(graph.connected["control"] == [] && kept.names == ["control": ["pedal:out"]])
      graph.ports = ["pedal:out"]
      graph.restore(&kept)
      graph.note(&kept)
      #expect(graph.connected["control"] == ["pedal:out"])
    }
  }

  @Test func `A connection that one reading does not show is kept, and the next reading decides`() {
    let graph = Graph()
    graph.ports = ["a", "b"]
    var kept = KeptConnections(["control": ["a", "b"]])
    graph.restore(&kept)
    graph.note(&kept)
    // Both are disconnected: one by the user, the other because its device was unplugged and is back already.
    graph.connected["control"] = []
    let isCertain = kept.note(connected: graph.connected, exists: graph.ports.contains)
    #expect(!isCertain)
    #expect(kept.names == ["control": ["a", "b"]])
    let isDecided = kept.note(connected: graph.connected, exists: graph.ports.contains, renewed: ["b"])
    #expect(isDecided)
    graph.restore(&kept)
    #expect(kept.names == ["control": ["b"]] && graph.connected["control"] == ["b"])
  }

  @Test func `A connection that is removed while both ports exist stays removed`() {
    let graph = Graph()
    graph.ports = ["a", "b"]
    var kept = KeptConnections(["control": ["a", "b"]])
    graph.restore(&kept)
    graph.note(&kept)
    graph.connected["control"] = ["b"]
    graph.note(&kept)
    #expect(kept.names == ["control": ["b"]])
    graph.restore(&kept)
    #expect(graph.connected["control"] == ["b"])
    // It is restored if one of the ports was missing in between.
    graph.connected["control"] = []
    graph.note(&kept, renewed: ["b"])
    graph.restore(&kept)
    #expect(graph.connected["control"] == ["b"])
  }

  @Test func `New connections are restored for a new client`() {
    let graph = Graph()
    graph.ports = ["a", "b"]
    var kept = KeptConnections(["control": ["a"]])
    graph.restore(&kept)
    graph.connected["control"]?.append("b")
    graph.note(&kept)
    graph.connected["control"] = []
    kept.loseAll()
    graph.restore(&kept)
    #expect(graph.connected["control"] == ["a", "b"])
  }

  @Test func `Automatic outputs are not kept; chosen ones are, and so is the choice of none`() {
    let graph = Graph()
    graph.ports = ["left", "right", "desk"]
    var kept = KeptConnections(automatic: ["left", "right"])
    graph.restore(&kept)
    graph.note(&kept)
    #expect(graph.connected["out"] == ["left", "right"] && kept.names == [:])
    for outputs in [["desk"], [], ["left"]] {
      graph.connected["out"] = outputs
      graph.note(&kept)
      #expect(kept.names == ["out": outputs])
      var next = KeptConnections(kept.names)
      let later = Graph()
      later.ports = graph.ports
      later.restore(&next)
      #expect(later.connected["out"] ?? [] == outputs)
    }
    graph.connected["out"] = ["right", "left"]
    graph.note(&kept)
    #expect(kept.names == [:])
  }

  @Test func `A device of a2jmidid is found under another number, and two of the same each once`() {
    let graph = Graph()
    let (first, second) = ("a2j:Pad [24] (capture): Pad MIDI 1", "a2j:Pad [28] (capture): Pad MIDI 1")
    let (third, fourth) = ("a2j:Pad [32] (capture): Pad MIDI 1", "a2j:Pad [36] (capture): Pad MIDI 1")
    graph.ports = [second, third, "a2j:Pad [40] (capture): Pad MIDI 2"]
    var kept = KeptConnections(["control": [first, second]])
    graph.restore(&kept)
    #expect(kept.names == ["control": [third, second]])
    #expect(Set(graph.connected["control"]!) == [second, third])
    // Connected by somebody else before it was found.
    graph.note(&kept)
    graph.remove(second)
    graph.note(&kept)
    graph.ports.insert(fourth)
    graph.connected["control"]?.append(fourth)
    graph.note(&kept)
    #expect(kept.names == ["control": [third, fourth]])
  }

  @Test func `Peers with ever new names do not accumulate`() {
    let graph = Graph()
    var kept = KeptConnections()
    for number in 0..<100 {
      graph.ports = ["recorder-\(number):in"]
      graph.connected["out"] = ["recorder-\(number):in"]
      graph.note(&kept)
      graph.remove("recorder-\(number):in")
      graph.note(&kept)
    }
    #expect(kept.names["out"]?.count == KeptConnections.limit)
    #expect(kept.names["out"]?.last == "recorder-99:in")
  }
}
