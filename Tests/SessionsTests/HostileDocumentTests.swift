import Control
import Foundation
import MusicTime
import TestNumbers
import Testing
import Validation

@testable import Sessions

/// Documents that are made to cost time or memory. The bounds leave room for a slow machine: what they
/// guard against takes minutes, or never ends.
@Suite struct HostileDocumentTests {
  private func quickFaults(_ text: String) -> [String] {
    var result: [String] = []
    let time = ContinuousClock().measure { result = faults(text) }
    #expect(time < .seconds(20))
    return result
  }

  @Test(
    "Ten megabytes of nesting are refused", arguments: ["[", "{", "{a: ", "- ", "? ", "[[],", "[{a: [], b: "])
  func nesting(opening: String) throws {
    let text = "sections:\n  " + String(repeating: opening, count: 10_000_000 / opening.utf8.count)
    let found = quickFaults(text)
    #expect(found.count == 1)
    #expect(try #require(found.first).hasPrefix("2:"))
  }

  @Test("Nesting is refused at the level where it is too deep", arguments: [17, 100, 900, 2_000])
  func depth(levels: Int) {
    let text = "sections: " + String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    let found = quickFaults(text)
    #expect(found == ["1:26 nesting"])
  }

  @Test func faultsCarryNothingThatATerminalObeys() {
    #expect(
      quickFaults("title: \"a\\e[31mb\"\nsections: [{bars: 1}]") == ["1:8 title 'a\u{FFFD}[31mb'"])
  }

  @Test func bracketsInTextAreNoNesting() throws {
    let brackets = String(repeating: "[{", count: 90)
    #expect(try song("title: '\(brackets)'\nsections: [{bars: 1}]").title == brackets)
  }

  @Test func aliasesThatMultiplyAreRefused() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...30 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(quickFaults(text) == ["2:10 alias *a0"])
    #expect(quickFaults(text.replacing("*a0", with: "? *a0")) == ["2:12 alias *a0"])
  }

  @Test func treesAsKeysAreRefused() throws {
    let values = String(repeating: "x,", count: 500_000)
    let text = String(repeating: "{? ", count: 900) + "[\(values)]" + String(repeating: "}", count: 900)
    #expect(quickFaults(text) == ["1:49 nesting"])
    let short = String(repeating: "{[", count: 100) + "x" + String(repeating: "]: y}", count: 100)
    #expect(quickFaults(short) == ["1:17 nesting"])
    #expect(try song("title: Ready ? Go\nsections: [{bars: 1}]").title == "Ready ? Go")
  }

  @Test func connectionsOfPortsInThousandsAreReadOnce() throws {
    let text = "connections:\n" + (0..<80_000).map { "  port \($0): []\n" }.joined()
    let root = try #require(YAMLText.compose(text, FaultLog(file: "state.yaml")))
    var ports: Int?
    let time = ContinuousClock().measure { ports = try? SettingsDocument(root).settings.connections.count }
    #expect(ports == 80_000)
    #expect(time < .seconds(10))
  }

  @Test func namesThatLookLikeAliasesAreText() throws {
    let title = "R &B and *rock *n &roll"
    #expect(try song("title: \(title)\nsections: [{bars: 1}]").title == title)
  }

  @Test func millionsOfValuesAreRefused() {
    let text = "sections: [" + String(repeating: "x,", count: 7_000_000) + "]"
    #expect(quickFaults(text).first?.contains("more than 3000000 values") == true)
  }

  @Test func laddersOfAMillionStepsAreRefused() {
    let ladder = "  - bars: 1000000\n    tempo: {from: 1, to: 999, by: 0.001, every: 1, then: reverse}\n"
    #expect(quickFaults("sections:\n" + String(repeating: ladder, count: 10_000)).count == 1)
  }

  @Test func repeatsOfRepeatsAreRefused() {
    var text = "sections: [{bars: 1}]"
    for _ in 0..<6 { text = "sections: [{repeat: 100000, \(text)}]" }
    #expect(quickFaults(text) == ["1:1 sections of more than 100000 with all repeats"])
  }

  @Test func largeBarsInThousandsAreRefused() {
    var text = "sections:\n"
    for index in 0..<1_000 {
      text +=
        "  - {bars: 1, meter: 99/1, beat-unit: 1/99, swing: 0.\(index + 100), subdivisions: [7, 8, 9]}\n"
    }
    #expect(quickFaults(text).count == 1)
  }

  @Test func accentsThatDropOutOfAHugeBarAreRefused() {
    let groups = Array(repeating: "1", count: 9_801).joined(separator: "+")
    let section = "  - {bars: 9, meter: 99/1, beat-unit: 1/99, drop-out: {what: accents, every: 1}}\n"
    let text = "defaults: {meter: 99/1, beat-unit: 1/99, groups: \(groups)}\nsections:\n"
    #expect(quickFaults(text + String(repeating: section, count: 100)).count == 100)
  }

  @Test func aLineOfTextAsLongAsTheFileIsRefused() {
    #expect(quickFaults("title: " + String(repeating: "x", count: 15_000_000)).count == 2)
  }

  @Test("Directives in thousands are refused", arguments: ["\n", "\r", "\u{85}", "\u{2028}"])
  func directives(lineBreak: String) throws {
    var text = "a: 1\n...\n"
    for index in 0..<40_000 { text += "%TAG !t\(index)! tag:x\(lineBreak)" }
    #expect(try #require(quickFaults(text + "---\nsections: [{bars: 1}]\n").first).hasSuffix("begin with %"))
  }

  @Test(
    "Tempos of a map in millions cost little",
    arguments: [
      ("1 1", ",1", "1:3 list of 7500001 tempos"),
      ("1000000 99/1 1", ",1", "1:14 list of 7500001 tempos"),
      ("1 1", "--", "1:3 tempo '1\(String(repeating: "-", count: 39))…'"),
    ])
  func mapsOfMillionsCostLittle(start: String, piece: String, expected: String) {
    let text = start + String(repeating: piece, count: 7_500_000)
    var found: Faults?
    let time = ContinuousClock().measure {
      found = #expect(throws: Faults.self) { _ = try KlickMap(text, file: "song.klick") }
    }
    #expect(found?.faults.map { "\($0.line):\($0.column) \($0.what)" } == [expected])
    #expect(time < .seconds(20))
  }

  @Test func nothingMoreIsReadForAFullLog() {
    let log = FaultLog(file: "a.yaml")
    let mark = Mark(line: 1, column: 1)
    var count = 0
    for _ in 0..<5_000 {
      let _: Int? = log.read(at: mark) { () throws(InvalidValue) in
        count += 1
        throw InvalidValue("bars", "0", allowed: "1")
      }
    }
    #expect(count == FaultLog.limit && log.faults.count == FaultLog.limit)
  }

  @Test func unknownKeysInMillionsAreRefused() {
    var text = ""
    while text.utf8.count < 15_000_000 { text += "k\(text.utf8.count): 1\n" }
    #expect(quickFaults(text).count == FaultLog.limit)
  }

  @Test func textsAreMeasuredInBytes() throws {
    let accents = String(repeating: "\u{301}", count: 3_000_000)
    #expect(quickFaults("title: e\(accents)\nsections: [{bars: 1}]").count == 1)
    let longest = String(repeating: "鼓", count: 200)
    #expect(try song("title: \(longest)\nsections: [{bars: 1}]").title == longest)
  }

  @Test func songsOfMoreThanALifetimeAreRefused() {
    let section = "{bars: 1000000, tempo: 1, meter: 99/1, beat-unit: 1/99}"
    let text = "cycles: 1000\nsections: [\(section)]"
    #expect(quickFaults(text) == ["2:1 sections of more than 30 years with all repeats"])
    #expect(quickFaults("sections: [{bars: 1000000, tempo: 1}]") == [])
  }

  @Test func listsOfTemposThatRepeatsMultiplyAreRefused() {
    let tempos = Array(repeating: "120", count: 1_000).joined(separator: ",")
    let text = "cycles: 100000\nsections: [{tempo: [\(tempos)]}]"
    #expect(quickFaults(text) == ["2:1 sections with more than 2000000 tempos in lists, with all repeats"])
  }

  @Test func anythingAtAllIsReadOrRefused() {
    var random = Generator(seed: 20)
    let pieces = [
      "sections", "songs", ": ", "- ", "[", "]", "{", "}", ", ", "\n", "  ", "bars", "tempo", "7/8", "\"",
      "'", "#", "&a",
      "*a", "!!int", "|", ">", "? ", "%", "@", "\t", "repeat", "1:30", "é", "\u{85}", "\u{FEFF}", "---",
      "...", "~",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1...40, using: &random)).map { _ in pieces.randomElement(using: &random)!
      }.joined()
      for fault in faults(text) { #expect(fault.first?.isNumber == true) }
    }
  }

  @Test func aHundredThousandSectionsLoad() throws {
    let folder = try DocumentFolder()
    var text = "title: long\nsections:\n"
    for index in 0..<100_000 {
      text +=
        "  - name: Part \(index)\n    bars: \(index % 7 + 1)\n    tempo: \(60 + index % 100)\n    meter: 7/8\n"
    }
    let path = try folder.write("long.yaml", text)
    var setlist: Setlist?
    let time = try ContinuousClock().measure { setlist = try SessionLoader().load(path) }
    #expect(setlist?.songs[0].song.plans.count == 100_000)
    print("100000 sections, \(text.utf8.count / 1_000) kB, loaded in \(time)")
    // `make bench` measures; this is no more than a sign of life on any machine.
    #expect(time < .seconds(10))
  }

  @Test func aFolderHasOneNameHoweverItIsSpelled() throws {
    let folder = NSTemporaryDirectory() + "tactus-spelled-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/kit", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "kit")
    var spellings = ["link", "./link/.", "../" + (folder as NSString).lastPathComponent + "/kit"]
    for count in 0..<200 { spellings.append(String(repeating: "./", count: count) + "kit") }
    let text = "sections:\n" + spellings.map { "- {bars: 1, sound: \($0)}\n" }.joined()
    let path = folder + "/song.yaml"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let setlist = try SessionLoader(sounds: ["sine"]).load(path)
    // Each name is read once, so that one folder is in memory once.
    #expect(Set(setlist.songs[0].song.plans.map(\.sound)).count == 1)
  }
}
