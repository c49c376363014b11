import ControlBench
import Engine
import MusicTime
import Testing

@testable import Control

/// Leaders of the transport that leave before they have published a position, and roles without a leader.
@Suite struct UnheardLeaderTests {
  @Test(arguments: [Update.set(.role(.lead)), .leadIfFree])
  func `When a leader has left before it published a position, Tactus leads again`(_ request: Update) throws {
    let rig = try Rig()
    rig.push(request)
    rig.settle()
    rig.host.isLedByAnother = true
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.role == .follow })
    rig.host.isLedByAnother = false
    #expect(rig.eventually { $0.role == .lead })
  }

  @Test func `When a leader stops publishing and leaves later, Tactus leads again`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    rig.settle()
    rig.host.isLedByAnother = true
    rig.transport.isRolling = true
    rig.transport.leader = Cycle.Leader(
      bar: 1, beat: 1, tick: 0, isTickExact: true, ticksPerBeat: 1_920, offset: 0, beatsPerMinute: 120,
      beatsPerBar: 4, beatType: 4)
    #expect(rig.eventually { $0.role == .follow && $0.leader != nil })
    rig.transport.leader = nil
    #expect(rig.eventually { $0.leader == nil })
    // It still leads, but publishes nothing.
    rig.pass(.seconds(5))
    #expect(rig.settle().role == .follow)
    rig.host.forgetCalls()
    rig.pass(.seconds(3))
    #expect(rig.host.calls.allSatisfy { $0 == .take(.lead, conditional: true) })
    #expect(2...4 ~= rig.host.calls.count)
    rig.host.isLedByAnother = false
    #expect(rig.eventually { $0.role == .lead })
    #expect(rig.reports.warnings.count == 1)
  }

  @Test func `Without a leader the role follow stays, and nothing is reported`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.follow)))
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying })
    rig.host.forgetCalls()
    rig.pass(.milliseconds(500))
    #expect(rig.settle().role == .follow)
    #expect(rig.host.calls.isEmpty)
    #expect(rig.reports.warnings.isEmpty)
  }
}
