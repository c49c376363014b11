import ControlBench
import Engine
import Realtime
import Synchronization
import Testing

@testable import Control

@Suite struct HealthTests {
  @Test func eachLossIsNamedAndCounted() {
    var before = Health()
    (before.xruns, before.droppedClips) = (1, 5)
    var after = before
    #expect(after.losses(since: before) == nil)
    after.droppedMessages = 9
    #expect(after.losses(since: before) == nil)
    (after.xruns, after.gaps, after.droppedClips, after.droppedEvents, after.droppedCommands) = (
      2, 2, 8, 1, 4
    )
    after.droppedControls = 1
    #expect(
      after.losses(since: before)
        == "the JACK server reports 1 xrun; cycles were missed 2 times; 3 clicks not begun: too many sounded; "
        + "1 event not reported: too many at once; 4 commands lost: too many waited; "
        + "1 MIDI message lost: too many at once")
  }

  @Test func `Losses are reported once, and at most once a second`() throws {
    let rig = try Rig()
    #expect(rig.settle().health == Health())
    let start = rig.time
    rig.host.xruns = 2
    #expect(rig.hears { $0.isLoss(of: "2 xruns") })
    rig.channels.pointee.droppedClips.wrappingAdd(3, ordering: .relaxed)
    rig.channels.pointee.gaps.wrappingAdd(1, ordering: .relaxed)
    #expect(rig.hears { $0.isLoss(of: "3 clicks") })
    #expect(rig.time - start >= HealthWatch.interval)
    let health = rig.settle().health
    #expect((health.xruns, health.droppedClips, health.gaps) == (2, 3, 1))
    let losses = rig.reports.all.compactMap { if case .losses(let text) = $0 { text } else { nil } }
    #expect(losses.count == 2)
    #expect(losses.last?.contains("cycles were missed once;") == true)
    #expect(losses.last?.contains("xrun") == false)
  }

  @Test func `Answers that were not sent are counted and not reported`() throws {
    let rig = try Rig()
    rig.conductor.countDroppedAnswers { 7 }
    #expect(
      rig.hears { if case .changed(_, let new) = $0 { new.health.droppedAnswers == 7 } else { false } }
    )
    #expect(!rig.reports.all.contains { if case .losses = $0 { true } else { false } })
  }

  @Test func `After a day of turns the counter of lost answers is still called directly`() throws {
    let rig = try Rig()
    rig.conductor.countDroppedAnswers { 7 }
    // Each reading once wrapped the closure anew, until calling it took the whole stack.
    for _ in 0..<400_000 { rig.conductor.turn(([], 0), at: rig.time) }
    #expect(rig.hears { if case .changed(_, let new) = $0 { new.health.droppedAnswers == 7 } else { false } })
  }

  @Test func `Commands without room in the queue are counted`() {
    let channels = OwnedChannels()
    defer { withExtendedLifetime(channels) {} }
    var sender = CommandSender(channels.pointer)
    // As many as the ring holds go through, as many again wait.
    for _ in 0..<(256 + CommandSender.capacity) { sender.send(Command(.stop)) }
    #expect(sender.dropped == 0)
    for _ in 0..<3 { sender.send(Command(.stop)) }
    #expect(sender.dropped == 3)
  }
}

extension Report {
  fileprivate func isLoss(of text: String) -> Bool {
    if case .losses(let losses) = self { losses.contains(text) } else { false }
  }
}
