import MusicTime
import Testing

@Suite("BeatUnit")
struct BeatUnitTests {
  static let allowed =
    "must be a note from 1/1 to 1/99, plain, dotted (1/4. or 3/8) or double-dotted (1/4.. or 7/16)"

  @Test("Plain, dotted and double-dotted notes from a whole to a 99th are read, with dots and as lengths")
  func all() throws {
    for note in 1...99 {
      #expect(try BeatUnit(text: "1/\(note)").length == Rational(1, note))
      #expect(try BeatUnit(text: "1/\(note).").length == Rational(3, 2 * note))
      #expect(try BeatUnit(text: "1/\(note)..").length == Rational(7, 4 * note))
      #expect(try BeatUnit(3, 2 * note) == BeatUnit(text: "1/\(note)."))
      #expect(try BeatUnit(7, 4 * note) == BeatUnit(text: "1/\(note).."))
    }
  }

  @Test("A length that is not in lowest terms is the same note, printed in lowest terms")
  func lowestTerms() throws {
    #expect(try BeatUnit(2, 8).description == "1/4")
    #expect(try BeatUnit(text: "6/16").description == "3/8")
  }

  @Test(
    "What is no such note is refused as it was typed",
    arguments: [
      "", "4", "1/", "1/0", "0/4", "1/100", "5/8", "9/8", "2/1", "1/4...", "3/8.", "1./4", ".1/4", "1/4.x",
      "-1/4",
      "+1/4", "15/16",
    ])
  func refused(text: String) {
    expectRefusal("beat unit '\(text)': \(Self.allowed)") { try BeatUnit(text: text) }
  }

  @Test("Numbers that make no note are refused")
  func numbers() {
    for (numerator, denominator) in [(0, 4), (4, 0), (-1, -4), (5, 8), (.max, .max), (.min, 1)] {
      expectRefusal("beat unit \(numerator)/\(denominator): \(Self.allowed)") {
        try BeatUnit(numerator, denominator)
      }
    }
  }
}
