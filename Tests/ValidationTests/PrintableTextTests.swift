import Testing
import Validation

@Suite struct PrintableTextTests {
  @Test(arguments: [
    ("\u{1B}[2J", "\u{FFFD}[2J"), ("a\nb\r\tc", "a\u{FFFD}b\u{FFFD}\u{FFFD}c"),
    ("\u{7F}\u{9B}31m", "\u{FFFD}\u{FFFD}31m"),
    ("a\u{2028}b\u{2029}", "a\u{FFFD}b\u{FFFD}"), ("\u{202E}exe\u{2066}", "\u{FFFD}exe\u{FFFD}"),
    ("\u{E000}\u{F0000}", "\u{FFFD}\u{FFFD}"), ("\u{378}", "\u{FFFD}"),
    ("\u{FEFF}\u{200B}\u{AD}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ("\0", "\u{FFFD}"), ("Grüße, 日本語", "Grüße, 日本語"),
    ("می\u{200C}خواهم 👨\u{200D}👩", "می\u{200C}خواهم 👨\u{200D}👩"),
  ])
  func `Nothing that steers a terminal, breaks a line or reorders text is shown`(text: String, shown: String)
  {
    #expect(printable(text) == shown)
    #expect(quoted(text) == "'\(shown)'")
  }

  @Test func `A text is cut by its bytes, between two scalars`() {
    let marks = "e" + String(repeating: "\u{301}", count: 1_000_000)
    #expect(printable(marks, limit: 100).utf8.count <= 100)
    #expect(printable(marks, limit: 100).hasSuffix("…"))
    #expect(quoted(marks).utf8.count <= 165)
    #expect(printable("12345", limit: 5) == "12345")
    #expect(printable("123456", limit: 5) == "12…")
    #expect(printable("ääää", limit: 7) == "ää…")
    #expect(quoted(String(repeating: "x", count: 40)) == "'\(String(repeating: "x", count: 40))'")
    #expect(quoted(String(repeating: "x", count: 41)) == "'\(String(repeating: "x", count: 40))…'")
  }

  @Test func `A refused value is told in one printable line of bounded length`() {
    let hostile = "\u{1B}]0;x\u{7}\n" + String(repeating: "\u{301}", count: 100_000)
    let text = InvalidValue(hostile, hostile, allowed: hostile).description
    #expect(text.unicodeScalars.allSatisfy(\.isPrintable) && text.utf8.count <= 1_000)
  }
}
