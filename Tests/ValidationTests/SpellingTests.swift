import Testing
import Validation

@Suite struct SpellingTests {
  private let known = ["tempo", "meter", "beat-unit", "gap", "stop/bar"]

  @Test(arguments: [
    ("tmepo", "tempo"), ("temo", "tempo"), ("tempoo", "tempo"), ("tenpo", "tempo"), ("Meter", "meter"),
    ("stop/bra", "stop/bar"), ("beatunit", "beat-unit"), ("gpa", "gap"),
    // Two slips, no slip, or too short to say.
    ("timbo", nil), ("tempo", nil), ("ga", nil), ("", nil), ("thunder", nil),
  ])
  func `A name with one slip stands for a known one`(name: String, meant: String?) {
    #expect(Spelling.corrected(name, among: known) == meant)
  }

  @Test func `A suggestion may be further away`() {
    #expect(Spelling.nearest(to: "timbo", among: known) == "tempo")
    #expect(Spelling.nearest(to: "accelerando", among: known) == nil)
    #expect(Spelling.nearest(to: String(repeating: "x", count: 100_000), among: known) == nil)
    #expect(Spelling.corrected(String(repeating: "x", count: 100_000), among: known) == nil)
  }
}
