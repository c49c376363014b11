import Control
import MusicTime
import OSC
import OSCBench
import Realtime
import Testing

@testable import OSCControl
@testable import Web

/// Twenty clients at a time, in simulated time.
@Suite struct CrowdTests {
  @Test func `With one of twenty clients frozen and one flooding the others get beats within 5 ms`() throws {
    let rig = try EmbeddedRig()
    let outlets = (0..<20).map { _ in Outlet {} }
    let peers = (0..<20).map { OSCPeer.connected(IPAddress("192.0.2.7")!, number: $0, mayWrite: true) }
    rig.carry = { datagram in
      if case .connected(_, let number, _) = datagram.peer { _ = outlets[number].add(datagram.bytes) }
    }
    for peer in peers { rig.send(OSCMessage("/tactus/subscribe"), from: peer) }
    rig.send(OSCMessage("/tactus/tempo", .float(300)), OSCMessage("/tactus/start"))
    var late: [Duration] = []
    var reported = 0
    let end = rig.rig.time + .seconds(60)
    var period = 0
    while rig.rig.time < end {
      rig.render()
      period += 1
      // As much as the web server reads of one: 400 a second.
      if period.isMultiple(of: 2) { rig.send(OSCMessage("/tactus/query"), from: peers[1]) }
      // A fader in motion, of which all are told, and which fills what the frozen one does not read.
      if period.isMultiple(of: 8) {
        rig.send(OSCMessage("/tactus/swing", .float(Float(period % 100) / 100)))
      }
      for outlet in outlets[1...] {
        while let bytes = outlet.take() {
          for message in try OSCDatagram(bytes).messages
          where message.address == AddressSpace.beat && message.arguments[2] != .string("subdivision") {
            reported += 1
            let date = rig.remote.clock.instant(try #require(message.time).unixNanoseconds)
            late.append(rig.rig.time - date)
          }
        }
      }
    }
    // What is told of the beats that are just being played may be on its way.
    let beats = rig.rig.reports.beats.filter { $0.role == .accent || $0.role == .beat }
    #expect(beats.count > 295 && reported >= (beats.count - 1) * 19)
    #expect(late.allSatisfy { $0 <= .milliseconds(5) })
    let frames = beats.map(\.frame)
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $1 - $0 == 9_600 })
    var held = 0
    while let bytes = outlets[0].take() { held += bytes.count + WebLimits.overhead }
    #expect(held <= WebLimits.outgoing && held > WebLimits.outgoing / 2)
  }
}
