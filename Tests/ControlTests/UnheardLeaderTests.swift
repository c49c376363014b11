import ControlBench
import Engine
import MusicTime
import Testing

@testable import Control

/// Leaders of the transport that leave before they have said anything, and those that never were.
@Suite struct UnheardLeaderTests {
  @Test(arguments: [Update.set(.role(.lead)), .leadIfFree])
  func whenALeaderHasGoneBeforeItWasHeardTactusLeadsAgain(_ wish: Update) throws {
    let rig = try Rig()
    rig.push(wish)
    rig.settle()
    rig.host.isLedByAnother = true
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.role == .follow })
    rig.host.isLedByAnother = false
    #expect(rig.eventually { $0.role == .lead })
  }

  @Test func whoFollowsWhereNobodyLeadsIsToldNothingAndFollowsOn() throws {
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
