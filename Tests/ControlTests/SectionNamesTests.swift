import ControlBench
import Engine
import MusicTime
import Testing
import Validation

@testable import Control

@Suite struct SectionNamesTests {
  private func outline(_ sections: [(name: String, label: String?)]) -> SessionOutline {
    SessionOutline(
      songs: ["song"],
      sections: sections.map {
        SessionOutline.Section(name: $0.name, label: $0.label, bars: 1, isCountIn: $0.name == "Count-in")
      })
  }

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
    let outline = outline([("", nil), ("", "a"), ("", "b"), ("", "a")])
    #expect(try outline.section(named: "a") == 1)
    #expect(try outline.section(named: "b") == 2)
  }

  @Test func `Without such a label capitals do not matter, and names count`() throws {
    let outline = outline([
      ("Count-in", nil), ("verse", "Chorus"), ("Bridge", "chorus"), ("Last Verse", nil), ("VERSE", nil),
    ])
    for (text, index) in [
      ("Chorus", 1), ("chorus", 2), ("CHORUS", 1), ("Verse", 1), ("bridge", 2), ("last verse", 3),
    ] { #expect(try outline.section(named: text) == index, "\(text)") }
    #expect(try outline.section(named: "5") == 4)
    for text in ["6", "0", "-1", "9223372036854775807", "-9223372036854775808"] {
      #expect(throws: InvalidValue.self) { try outline.section(named: text) }
    }
    // A label or a name that is a number comes before the number.
    let numbered = self.outline([("", nil), ("1", nil), ("", "2"), ("", nil)])
    #expect(try numbered.section(named: "1") == 1)
    #expect(try numbered.section(named: "2") == 2)
    #expect(try numbered.section(named: "4") == 3)
    // Nobody goes to the count-in by its name.
    #expect(throws: InvalidValue.self) { try outline.section(named: "count-in") }
  }

  @Test func `An error names labels, and names where there is no label`() throws {
    let mixed = outline([("Intro", nil), ("Verse", "A"), ("Bridge", nil)])
    #expect {
      try mixed.section(named: "Bride")
    } throws: {
      "\($0)" == "section 'Bride': must be one of A, Bridge, Intro"
    }
    #expect { try outline([("", nil)]).section(named: "1st") } throws: {
      "\($0)".contains("must be a number")
    }
  }

  @Test func `Of a hundred thousand labels an error lists a few that are near, in few bytes`() throws {
    let parts = outline((0..<100_000).map { ("S", "part \($0)") })
    #expect(try parts.section(named: "part 99999") == 99_999)
    #expect {
      try parts.section(named: "part 87x")
    } throws: {
      let text = "\($0)"
      return text.contains("part 87 and 99995 others") && text.utf8.count < 400
    }
    let long = outline((0..<100).map { ("", "\($0)" + String(repeating: "\u{301}", count: 10_000)) })
    #expect { try long.section(named: "x") } throws: { "\($0)".utf8.count < 1_000 }
  }

  @Test func `A control's light knows the section as goto does, in each repetition`() {
    let outline = outline([
      ("Count-in", nil), ("Verse", nil), ("Chorus", nil), ("Refrain", "chorus"), ("Verse", nil),
    ])
    func lit(_ text: String) -> [Int] {
      outline.sections.indices.filter { outline.isSection($0, named: text) }
    }
    #expect(lit("chorus") == [3] && lit("refrain") == [3])
    #expect(lit("VERSE") == [1, 4])
    #expect(lit("count-in") == [] && lit("other") == [])
    #expect(lit("2") == [1] && lit("0") == [] && lit("6") == [])
    #expect(throws: InvalidValue("section", "6", allowed: "1…5")) { try outline.section(named: "6") }
    #expect(!outline.isSection(5, named: "verse") && !outline.isSection(-1, named: "verse"))
  }

  @Test func `A label that is not there is compared with the song's first ones alone`() throws {
    let rig = try Rig(setlist([("song", try song((0..<20_000).map { "part \($0)" }).plans, .wait)]))
    let reasons = Reasons()
    for number in 0..<1_000 {
      rig.updates.push(
        Request(.update(.go(.named("part 19999 \(number)"))), refuse: { reasons.add($0) }))
    }
    rig.settle()
    #expect(reasons.all.count == 1_000)
    // `part 1999` would be nearer.
    let near = "one of part 19, part 190, part 191, part 192, part 199 and 19995 others of the document"
    #expect(reasons.all.allSatisfy { $0.contains(near) && $0.utf8.count < 400 })
  }
}
