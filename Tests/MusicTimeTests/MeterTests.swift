import MusicTime
import Testing

@Suite("Meter")
struct MeterTests {
  @Test("Every meter from 1/1 to 99/99 can be read and prints as it was typed")
  func all() throws {
    for count in 1...99 {
      for unit in 1...99 {
        let meter = try Meter(text: "\(count)/\(unit)")
        #expect(meter == (try Meter(count, unit)) && meter.description == "\(count)/\(unit)")
        #expect(meter.barLength == Rational(count, unit) && meter.note.length == Rational(1, unit))
      }
    }
  }

  @Test(
    "A text of another form is refused as it was typed",
    arguments: ["", "7", "7/", "/8", "7/8/9", "7 / 8", "+7/8", "-7/8", "7.0/8", "a/b", "７/８"])
  func form(text: String) {
    expectRefusal("meter '\(text)': must be 1…99 / 1…99, as in 7/8") { try Meter(text: text) }
  }

  @Test("A number outside 1…99 is refused")
  func range() {
    for (count, unit) in [(0, 4), (4, 0), (100, 4), (4, 100), (-1, 4), (.max, .min)] {
      expectRefusal("meter \(count)/\(unit): must be 1…99 / 1…99") { try Meter(count, unit) }
    }
    expectRefusal("meter 100/4: must be 1…99 / 1…99") { try Meter(text: "100/4") }
  }

  @Test("A novel is refused in forty letters")
  func novel() {
    let text = String(repeating: "x", count: 1_000)
    expectRefusal("meter '\(text.prefix(40))…': must be 1…99 / 1…99, as in 7/8") { try Meter(text: text) }
  }
}
