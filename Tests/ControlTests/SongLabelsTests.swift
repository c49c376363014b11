import ControlBench
import Engine
import MusicTime
import Testing

@testable import Control

@Suite struct SongLabelsTests {
  private func song(_ labels: [String?]) throws -> SongPlan {
    var plan = try section("S", .bars(1))
    return SongPlan(
      title: "song",
      plans: labels.enumerated().map { index, label in
        (plan.label, plan.source) = (label, index)
        return plan
      })
  }

  @Test func `A label leads to the first section that has it`() throws {
    let labels = SongLabels(try song([nil, "a", "b", "a"]))
    #expect(try labels.plan("a") == 1 && labels.plan("b") == 2)
  }

  @Test func `Of a hundred thousand labels an error lists a few that are near, in few bytes`() throws {
    let labels = SongLabels(try song((0..<100_000).map { "part \($0)" }))
    #expect(try labels.plan("part 99999") == 99_999)
    #expect {
      _ = try labels.plan("part 87x")
    } throws: {
      let text = "\($0)"
      return text.contains("part 87 and 99995 others") && text.utf8.count < 400
    }
    let long = SongLabels(try song((0..<100).map { "\($0)" + String(repeating: "\u{301}", count: 10_000) }))
    #expect { _ = try long.plan("x") } throws: { "\($0)".utf8.count < 1_000 }
    #expect { _ = try SongLabels(song([nil])).plan("x") } throws: { "\($0)".contains("which has none") }
  }

  @Test func `A label that is not there is compared with the song's first ones alone`() throws {
    let rig = try Rig(setlist([("song", try song((0..<20_000).map { "part \($0)" }).plans, .wait)]))
    let reasons = Reasons()
    for number in 0..<1_000 {
      rig.updates.push(
        Request(.update(.go(.label("part 19999 \(number)"))), refuse: { reasons.add($0) }))
    }
    rig.settle()
    #expect(reasons.all.count == 1_000)
    // `part 1999` would be nearer.
    let near = "one of part 19, part 190, part 191, part 192, part 199 and 19995 others of the document"
    #expect(reasons.all.allSatisfy { $0.contains(near) && $0.utf8.count < 400 })
  }
}
