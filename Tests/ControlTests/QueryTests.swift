import ControlBench
import Engine
import Synchronization
import Testing

@testable import Control

@Suite struct QueryTests {
  @Test func `An answer contains nothing that has not been reported`() throws {
    // The engine is a period ahead of its events, so that a section may be over before the next one is known to play.
    let rig = try Rig(
      (0..<8).map { try section("\($0)", .bars(1), tempo: 220_000 + 1_000 * $0, meter: (2, 4)) })
    let differing = Mutex<[SessionProgress?]>([])
    let box = Box(differing)
    rig.push(.start)
    while rig.clock < 240_000 {
      rig.updates.push(
        Request(
          .query { [reports = rig.reports] answer in
            let reported = reports.all.reversed().lazy.compactMap { report -> Snapshot? in
              if case .changed(_, let to) = report { to } else { nil }
            }.first
            if let reported, reported.progress != answer.progress {
              box.value.withLock { $0.append(answer.progress) }
            }
          }))
      rig.render()
    }
    #expect(box.value.withLock { $0.count } == 0)
    #expect(rig.heard.count == 16)
  }

  private final class Counts: Sendable {
    let all = Mutex<[Int]>([])
  }

  @Test func `Beats are reported between queries, however many wait`() throws {
    let rig = try Rig()
    rig.push(.start)
    var between = 0
    for _ in 0..<2_000 {
      let counts = Counts()
      for _ in 0..<32 {
        let query = Request(
          .query { [reports = rig.reports] _ in counts.all.withLock { $0.append(reports.beats.count) } })
        rig.updates.push(query)
      }
      rig.render()
      let seen = counts.all.withLock { $0 }
      #expect(seen.count == 32)
      if let first = seen.first, let last = seen.last, first < last { between += 1 }
    }
    #expect(between > 2 && between >= rig.reports.beats.count - 1)
  }
}
