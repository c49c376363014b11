import MusicTime
import Testing
import Validation

@Suite struct LayerTests {
  @Test(arguments: [
    "5 over bar", "3 over 2 bars", "3 over 4 beats", "2 over beat", "7 over 1/2", "every 1/8", "every 3/16",
    "5 over bar, pattern X.xoX, reset bar, note 60, name five, sound clave",
    "every 1/8, reset never, name low tom, sound /sounds/tom, the low one",
  ])
  func aLayerIsWrittenAsItIsRead(text: String) throws {
    #expect(try Layer(text: text).description == text)
  }

  @Test func anotherWritingMeansTheSame() throws {
    #expect(try Layer(text: " 5  over 1 bar ,reset section") == Layer(text: "5 over bar"))
    #expect(try Layer(text: "every 1/8.").description == "every 3/16")
    #expect(try Layer(text: "3 over 4 beats").polyrhythm == Polyrhythm(text: "3:4"))
    #expect(try Layer(text: "3 over bar").polyrhythm == nil)
  }

  @Test(arguments: [
    ("", "layer ''"), ("five over bar", "layer 'five over bar'"), ("0 over bar", "pulses 0"),
    ("65 over bar", "pulses 65"),
    ("5 over dawn", "over 'dawn'"), ("5 over 100 bars", "over '100 bars'"),
    ("5 over 0 beats", "over '0 beats'"),
    ("every 1/100", "every '1/100'"), ("5 over bar, pattern Xy", "pattern 'Xy'"),
    ("5 over bar, reset now", "reset 'now'"),
    ("5 over bar, note 128", "note '128'"), ("5 over bar, sound", "layer '5 over bar, sound'"),
    ("5 over bar, colour red", "layer '5 over bar, colour red'"),
    ("5 over bar,,", "layer '5 over bar,,'"), ("every", "layer 'every'"),
  ])
  func whatIsWrongIsSaid(text: String, start: String) {
    #expect { try Layer(text: text) } throws: { "\($0)".hasPrefix(start + ": must be ") }
  }

  @Test(arguments: ["3", "3:", ":4", "0:4", "3:0", "65:4", "3:100", "3:4:5", "a:b"])
  func aPolyrhythmIsTwoNumbers(text: String) {
    #expect { try Polyrhythm(text: text) } throws: { "\($0)".hasPrefix("polyrhythm ") }
  }
}
