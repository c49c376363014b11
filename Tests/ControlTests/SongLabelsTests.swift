import ControlBench
import Engine
import MusicTime
import Testing
import Validation

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
    let song = try song([nil, "a", "b", "a"])
    var labels = SongLabels(song)
    #expect(try labels.plan("a", in: song) == 1)
    #expect(try labels.plan("b", in: song) == 2)
  }

  @Test func `Without such a label capitals do not matter, and names count`() throws {
    var song = try song([nil, "Chorus", "chorus", nil, nil])
    for (index, name) in ["Count", "verse", "Bridge", "Last Verse", "VERSE"].enumerated() {
      song.plans[index].name = name
    }
    song.plans[0].isCountIn = true
    var labels = SongLabels(song)
    for (text, plan) in [
      ("Chorus", 1), ("chorus", 2), ("CHORUS", 1), ("Verse", 1), ("bridge", 2), ("last verse", 3),
    ] { #expect(try labels.plan(text, in: song) == plan, "\(text)") }
    // Nobody goes to the count-in by its name.
    #expect(throws: InvalidValue.self) { _ = try labels.plan("count", in: song) }
    for index in song.plans.indices { song.plans[index].label = nil }
    var names = SongLabels(song)
    #expect { _ = try names.plan("Bride", in: song) } throws: {
      "\($0)" == "section 'Bride': must be one of Bridge, Last Verse, verse"
    }
    for index in song.plans.indices { song.plans[index].name = "" }
    var none = SongLabels(song)
    #expect { _ = try none.plan("1st", in: song) } throws: { "\($0)".contains("must be a number") }
  }

  @Test func `Of a hundred thousand labels an error lists a few that are near, in few bytes`() throws {
    let parts = try song((0..<100_000).map { "part \($0)" })
    var labels = SongLabels(parts)
    #expect(try labels.plan("part 99999", in: parts) == 99_999)
    #expect {
      _ = try labels.plan("part 87x", in: parts)
    } throws: {
      let text = "\($0)"
      return text.contains("part 87 and 99995 others") && text.utf8.count < 400
    }
    let far = try song((0..<100).map { "\($0)" + String(repeating: "\u{301}", count: 10_000) })
    var long = SongLabels(far)
    #expect { _ = try long.plan("x", in: far) } throws: { "\($0)".utf8.count < 1_000 }
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
