import Control
import Engine
import MusicTime
import Sessions
import Testing

/// A map and the sections it is: `name: length meter tempo accents volume`.
struct MapCase: Sendable, CustomTestStringConvertible {
  let text: String
  let sections: [String]

  init(_ text: String, _ sections: String...) {
    self.text = text
    self.sections = sections
  }

  var testDescription: String { text }
}

@Suite struct KlickMapTests {
  static let maps = [
    MapCase("4 120", "4 bars 4/4 120 Xxxx 1.0"),
    MapCase("4 4/4 120", "4 bars 4/4 120 Xxxx 1.0"),
    MapCase("intro: 8 4/4 120", "intro: 8 bars 4/4 120 Xxxx 1.0"),
    MapCase("intro:8 120", "intro: 8 bars 4/4 120 Xxxx 1.0"),
    MapCase("a-b_9:\t1\t3/4\t90", "a-b_9: 1 bars 3/4 90 Xxx 1.0"),
    MapCase("4 7/8 140", "4 bars 7/8 280 Xxxxxxx 1.0"),
    MapCase("4 7/8 140 X.xXx.x", "4 bars 7/8 280 X.xXx.x 1.0"),
    MapCase("4 4/4 120 .... 0.5", "4 bars 4/4 120 .... 0.5"),
    MapCase("4 4/4 120 0.5", "4 bars 4/4 120 Xxxx 0.5"),
    MapCase("4 4/4 120 XXXX 0", "4 bars 4/4 120 XXXX 0.0"),
    MapCase("4 4/4 120-160", "4 bars 4/4 120-160 Xxxx 1.0"),
    MapCase("4 6/8 120.5-60.25 X..X.. .75", "4 bars 6/8 241-120.5 X..X.. 0.75"),
    MapCase("4 120-120", "4 bars 4/4 120 Xxxx 1.0"),
    MapCase("1 4/4 120,121,122,123.5", "1 bars 4/4 120,121,122,123.5 Xxxx 1.0"),
    MapCase("2 2/2 120,100,80,60 Xx", "2 bars 2/2 60,50,40,30 Xx 1.0"),
    MapCase("1 1/1 120", "1 bars 1/1 30 X 1.0"),
    MapCase("1 15/16 60.001", "1 bars 15/16 240.004 Xxxxxxxxxxxxxxx 1.0"),
    MapCase("1 4/3 100", "1 bars 4/3 75 Xxxx 1.0"),
    MapCase("\n# only a comment\n\n  4 120 # and one behind\n", "4 bars 4/4 120 Xxxx 1.0"),
    MapCase("4 120\r\n2 3/4 90 Xxx\r\n", "4 bars 4/4 120 Xxxx 1.0", "2 bars 3/4 90 Xxx 1.0"),
    MapCase("a: 1 120#x\na: 1 60", "a: 1 bars 4/4 120 Xxxx 1.0", "a: 1 bars 4/4 60 Xxxx 1.0"),
    MapCase("1 99/99 20", "1 bars 99/99 495 X\(String(repeating: "x", count: 98)) 1.0"),
  ]

  private func shown(_ plan: SectionPlan) -> String {
    let accents = plan.layout.onsets.map { $0.strength == 0 ? "." : $0.role == .accent ? "X" : "x" }.joined()
    let name = plan.label.map { "\($0): " } ?? ""
    return
      "\(name)\(plan.length.text) \(plan.layout.meter) \(plan.tempo.text) \(accents) \(plan.gains.buses.accent)"
  }

  @Test("A map is read as klick reads it", arguments: maps)
  func read(map: MapCase) throws {
    let klick = try KlickMap(map.text, file: "song.klick")
    #expect(try klick.plan().plans.map(shown) == map.sections)
    #expect(klick.remarks.isEmpty)
    #expect(klick.session.title == "song")
  }

  @Test(
    "A map comes back from the session that it is imported as",
    arguments: maps.filter { !$0.text.contains("a: 1 60") })
  func roundTrip(map: MapCase) throws {
    let klick = try KlickMap(map.text, file: "song.klick")
    let read = try song(klick.session.yaml)
    #expect(read == klick.session)
    #expect(try read.plan() == klick.plan())
  }

  @Test func aTempoFinerThanAThousandthIsRoundedAndSaid() throws {
    let klick = try KlickMap("1 4/3 133.33\n1 2/2 120.001\n1 4/4 100.0005", file: "a.klick")
    #expect(klick.remarks.map(\.line) == [1, 2, 3])
    #expect(try klick.plan().plans.map(\.tempo.text) == ["99.998", "60.001", "100.001"])
  }

  @Test func aVolumeAboveOneIsPlayedAsOneAndSaid() throws {
    let klick = try KlickMap("1 4/4 100 Xxxx 1.5", file: "a.klick")
    #expect(klick.remarks.map(\.column) == [16])
    #expect(try klick.plan().plans[0].gains.buses.accent == 1)
  }

  @Test(
    "A wrong line is reported where it is wrong",
    arguments: [
      ("", "1:1 map without entries"), ("# x", "1:1 map without entries"), ("0 120", "1:1 bars '0'"),
      ("-4 120", "1:1 bars '-4'"), ("x 120", "1:1 bars 'x'"), ("4", "1:2 missing tempo"),
      ("4 4/4", "1:6 missing tempo"), ("4 4/4 fast", "1:7 tempo 'fast'"), ("4 120 x 1 2", "1:7 pattern 'x'"),
      ("4 4/4 120 Xxx", "1:11 pattern 'Xxx'"), ("4 4/4 120 Xxxy", "1:11 pattern 'Xxxy'"),
      ("d: 2 4/4 100 Xq..", "1:14 pattern 'Xq..'"), ("4 4/4 120 Xxx1", "1:11 word 'Xxx1'"),
      ("4 4/4 120 Xxxx 1 2", "1:18 word '2'"), ("4 4/4 120 Xxxx -1", "1:16 volume '-1'"),
      ("4 0/4 120", "1:3 meter '0/4'"), ("4 4/100 120", "1:3 meter '4/100'"),
      ("4 4/16 300", "1:8 tempo '300'"),
      ("1 1/64 999999.999999999", "1:8 tempo '999999.999999999'"),
      ("1 1/99 999999.9-1", "1:8 tempo '999999.9'"),
      ("4 4/4 0", "1:7 tempo '0'"), ("4 4/4 120-", "1:11 tempo ''"), ("4 4/4 1-2-3", "1:7 tempo '1-2-3'"),
      ("1 4/4 120,121", "1:7 list of 2 tempos"), ("1 2/4 120,", "1:11 tempo ''"),
      ("ü: 1 120", "1:1 label 'ü'"),
      (": 1 120", "1:1 label ''"), ("a:", "1:3 missing bars"), ("4 120\n4 nan", "2:3 tempo 'nan'"),
    ])
  func faults(text: String, fault: String) {
    let error = #expect(throws: Faults.self) { try KlickMap(text, file: "a.klick") }
    #expect(error?.faults.map { "\($0.line):\($0.column) \($0.what)" }.first == fault)
  }

  @Test func aPatternOfOtherLettersIsToldWhichOnesItHas() {
    let error = #expect(throws: Faults.self) { try KlickMap("2 4/4 100 Xq..", file: "a.klick") }
    #expect(
      error?.faults.map(\.allowed).first?.hasPrefix("only X (accent), x (beat) and . (silence)") == true)
  }

  @Test func allLinesAreReported() {
    let error = #expect(throws: Faults.self) { try KlickMap("0 120\n4 120\n4 x\n", file: "a.klick") }
    #expect(error?.faults.map(\.line) == [1, 3])
  }

  @Test func aMapIsKnownByItsNameOrItsFirstLine() {
    #expect(
      KlickMap.isMap("", path: "a.klick") && KlickMap.isMap("", path: "a.MAP")
        && KlickMap.isMap("", path: "a.txt"))
    #expect(KlickMap.isMap("# x\n\nintro: 4 4/4 120\n", path: "song"))
    #expect(!KlickMap.isMap("4 120", path: "a.yaml"))
    #expect(!KlickMap.isMap("title: 4\nsections: 5\n", path: "song"))
    #expect(!KlickMap.isMap("", path: "song"))
  }
}
