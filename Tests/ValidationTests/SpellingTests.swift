import Testing
import Validation

@Suite struct SpellingTests {
  private let known = [
    "tempo", "meter", "beat-unit", "gap", "tap", "stop/bar", "layer/1", "layer/2", "click/offset",
    "clock/offset",
  ]

  @Test(arguments: [
    ("tmepo", "tempo"), ("temo", "tempo"), ("tempoo", "tempo"), ("tenpo", "tempo"), ("Meter", "meter"),
    ("stop/bra", "stop/bar"), ("beatunit", "beat-unit"), ("gpa", "gap"), ("Gap", "gap"), ("TEMPO", "tempo"),
    // Two slips, no slip, too short to say, or two that it could stand for.
    ("timbo", nil), ("tempo", nil), ("ga", nil), ("", nil), ("thunder", nil), ("tap", nil), ("gap", nil),
    ("clock/offset", nil), ("cap", nil), ("layer/1", nil), ("layer/9", nil), ("layer", nil),
  ])
  func `A name with one slip stands for a known one`(name: String, meant: String?) {
    #expect(Spelling.corrected(name, among: known) == meant)
  }

  @Test func `A name that is known twice can be meant`() {
    #expect(Spelling.corrected("muet", among: ["mute", "tempo", "mute"]) == "mute")
  }

  @Test(arguments: [
    ("tmepo", "tempo"), ("timbre", nil), ("Tempo", "tempo"), ("port", "osc-port"), ("foo", nil),
    ("take", nil),
    ("x", nil), ("", nil), ("accent-volum", "accent-volume"), ("osc-prot", "osc-port"), ("pasword", nil),
    ("volume", "volume"),
  ])
  func `An option is suggested only for what is similar, or a word of it`(name: String, suggestion: String?) {
    let options = ["bpm", "tempo", "set", "all", "accent-volume", "volume", "osc-port", "web"]
    #expect(Spelling.similar(to: name, among: options) == suggestion)
  }

  @Test func `A suggestion may be further away`() {
    #expect(Spelling.nearest(to: "timbo", among: known) == "tempo")
    #expect(Spelling.nearest(to: "accelerando", among: known) == nil)
    #expect(Spelling.nearest(to: String(repeating: "x", count: 100_000), among: known) == nil)
    #expect(Spelling.corrected(String(repeating: "x", count: 100_000), among: known) == nil)
  }
}
