import MusicTime
import Testing
import Validation

@Suite struct SwingTests {
  @Test(arguments: [
    ("0", 0), ("0.48", 480), ("1", 1_000), ("50%", 0), ("62%", 480), ("62 %", 480), ("66.7%", 668),
    ("75%", 1_000),
  ])
  func anAmountOrThePairsFirstPartIsRead(_ text: String, _ thousandths: Int) throws {
    #expect(try Swing(text: text).thousandths == thousandths)
  }

  @Test func thePercentAreThoseOfThePair() throws {
    #expect(try Swing(0.48).percent == 62)
    #expect(try Swing(1).percent == 75)
    #expect(Swing.straight.percent == 50)
  }

  @Test(arguments: [
    ("62", "62 per cent is written 62%"), ("49%", "50%…75%"), ("76%", "50%…75%"), ("%", "50%…75%"),
    ("nan%", "50%…75%"), ("-0.1", "0…1"), ("inf", "0…1"), ("swung", "0…1"), ("", "0…1"),
  ])
  func anotherTextIsRefusedWithWhatIsRight(_ text: String, _ words: String) {
    do throws(InvalidValue) {
      _ = try Swing(text: text)
      Issue.record("\(text) was read")
    } catch {
      #expect("\(error)".contains(words), "\(error)")
    }
  }
}
