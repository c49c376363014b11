import MusicTime
import Testing

@Suite("Tempo")
struct TempoTests {
  @Test(
    "A typed tempo is exact to a thousandth and prints as it was typed",
    arguments: [
      ("1", 1_000), ("120", 120_000), ("133.7", 133_700), ("999.999", 999_999), ("60.5", 60_500),
      ("7.007", 7_007),
    ])
  func reading(text: String, thousandths: Int) throws {
    let tempo = try Tempo(text: text)
    #expect(tempo.thousandths == thousandths)
    #expect(tempo.description == text)
    #expect(try Tempo(tempo.beatsPerMinute) == tempo)
  }

  @Test("Every thousandth survives the way through a Double", arguments: [1_000...30_000, 970_000...999_999])
  func doubles(range: ClosedRange<Int>) throws {
    for thousandths in range {
      #expect(try Tempo(Tempo(thousandths: thousandths).beatsPerMinute).thousandths == thousandths)
    }
  }

  @Test("What is between thousandths goes to the nearest, a tie away from zero")
  func rounding() throws {
    #expect(try Tempo(120.0004).thousandths == 120_000)
    #expect(try Tempo(120.0625).thousandths == 120_063)
    #expect(try Tempo(0.9995).thousandths == 1_000)
  }

  @Test(
    "A text that is no decimal number is refused as it was typed",
    arguments: ["", "fast", "12O", " 120", "120 ", "0x78", "1e2", "nan", "inf", "+120", "1.2.3"])
  func noNumber(text: String) {
    expectRefusal("tempo '\(text)': must be 1…999.999 beats a minute") { try Tempo(text: text) }
  }

  @Test("What is out of range or not finite is refused with its value")
  func outOfRange() {
    for (value, shown) in [
      (0.0, "0.0"), (-120, "-120.0"), (0.9994, "0.9994"), (999.9996, "999.9996"), (1e300, "1e+300"),
      (.nan, "nan"), (.infinity, "inf"), (-.infinity, "-inf"),
    ] {
      expectRefusal("tempo \(shown): must be 1…999.999 beats a minute") { try Tempo(value) }
    }
    expectRefusal("tempo 0.999: must be 1…999.999 beats a minute") { try Tempo(thousandths: 999) }
    expectRefusal("tempo -0.001: must be 1…999.999 beats a minute") { try Tempo(thousandths: -1) }
    expectRefusal("tempo 1000: must be 1…999.999 beats a minute") { try Tempo(thousandths: 1_000_000) }
  }

  @Test("A nudge past a bound stops at it")
  func clamping() {
    #expect(Tempo(clamping: -5).thousandths == 1_000)
    #expect(Tempo(clamping: .max).thousandths == 999_999)
    #expect(Tempo(clamping: 133_700).thousandths == 133_700)
  }
}
