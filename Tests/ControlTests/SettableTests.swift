import ControlBench
import MusicTime
import Testing

@testable import Control
@testable import Engine

/// Settings that remotes may change: those without an audible effect are not reported as settable.
@Suite struct SettableTests {
  @Test func aDocumentSetsEverything() throws {
    let rig = try Rig([try section("A")])
    #expect(rig.look().settable.names == [])
    rig.ask(.open(path: ""))
    #expect(rig.look().settable.names == ["tempo", "meter", "pattern"])
  }

  @Test(arguments: [SyncMode.free, .lead, .follow])
  func withoutALeaderTheMetronomeIsSet(role: SyncMode) throws {
    let rig = try Rig()
    rig.push(.set(.role(role)))
    #expect(rig.settle().settable.names == ["tempo", "meter", "pattern"])
  }

  @Test func aMIDIClockSetsTheTempo() throws {
    var snapshot = Snapshot(settings: Settings())
    snapshot.leader = Event.Leader(count: 0, unit: 4, notesPerMinute: 90)
    #expect(snapshot.settable.names == ["meter", "pattern"])
  }
}
