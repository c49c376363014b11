import Testing

@testable import Sessions

@Suite struct DecimalTests {
  @Test("A number is the nearest one that there is, however it is written")
  func nearest() {
    for _ in 0..<20_000 {
      var digits = (0..<Int.random(in: 1...18)).map { _ in "\(Int.random(in: 0...9))" }
      if Bool.random() { digits.insert(".", at: Int.random(in: 0...digits.count)) }
      let text = (Bool.random() ? "" : "-") + digits.joined()
      #expect(decimal(text) == Double(text), "\(text)")
    }
  }

  @Test(
    "A text that is no plain number is none",
    arguments: ["", ".", "1.2.3", "1e3", "0x10", "nan", "--1", "1 "])
  func none(text: String) { #expect(decimal(text) == nil) }
}
