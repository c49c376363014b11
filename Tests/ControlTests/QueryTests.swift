import ControlBench
import Engine
import Synchronization
import Testing

@testable import Control

@Suite struct QueryTests {
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
