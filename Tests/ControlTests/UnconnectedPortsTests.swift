import ControlBench
import Realtime
import Testing

@testable import Control

@Suite struct UnconnectedPortsTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func warnings(
    _ ports: inout UnconnectedPorts, _ connected: Set<String>, isPlaying: Bool = true, after seconds: Int
  ) -> [String] {
    ports.note(connected: connected)
    return ports.warnings(
      Settings(), isPlaying: isPlaying, unconnected: [], at: start + .seconds(seconds))
  }

  @Test func `Music that nothing hears is reported once, until something was connected`() {
    var ports = UnconnectedPorts()
    #expect(ports.warnings(Settings(), isPlaying: true, unconnected: [], at: start).isEmpty)
    #expect(warnings(&ports, ["out"], after: 1).isEmpty)
    // A second may pass while connections are restored.
    #expect(warnings(&ports, ["control"], after: 2).isEmpty)
    let told = warnings(&ports, ["control", "listen-snare"], after: 3)
    #expect(told == ["nothing is connected to the port 'out': no click is heard until something is"])
    #expect(warnings(&ports, [], after: 5).isEmpty)
    #expect(warnings(&ports, ["layer-2"], after: 6).isEmpty && warnings(&ports, [], after: 7).isEmpty)
    #expect(warnings(&ports, [], after: 8).count == 1)
  }

  @Test func `The connection of a port that was missing is reported, once`() {
    var ports = UnconnectedPorts()
    #expect(warnings(&ports, [], after: 1).isEmpty && warnings(&ports, [], after: 2).count == 1)
    #expect(warnings(&ports, ["out"], after: 3) == ["the port 'out' is connected now"])
    #expect(warnings(&ports, ["out"], after: 4).isEmpty && warnings(&ports, [], after: 5).isEmpty)
  }

  @Test(arguments: ["accent", "notes", "clock", "pulse", "ltc"])
  func `Any connected output is enough`(port: String) {
    var ports = UnconnectedPorts()
    for second in 1...4 { #expect(warnings(&ports, [port], after: second).isEmpty) }
  }

  @Test func `Nothing is reported while nothing plays`() {
    var ports = UnconnectedPorts()
    for second in 1...4 { #expect(warnings(&ports, [], isPlaying: false, after: second).isEmpty) }
    #expect(warnings(&ports, [], after: 5).isEmpty && warnings(&ports, [], after: 6).count == 1)
  }
}
