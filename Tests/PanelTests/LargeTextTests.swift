import Testing

@testable import Panel

@Suite struct LargeTextTests {
  @Test func `A number is drawn with blocks`() {
    #expect(
      LargeText.rows("1.7", .halved, .unicode) == [
        "▄█    ▀▀█", " █      █", "▀▀▀ ▀   ▀",
      ])
    #expect(
      LargeText.rows("20", .slim, .ascii) == ["### ###", "  # # #", "### # #", "#   # #", "### ###"])
  }

  @Test(arguments: LargeText.Size.all)
  func `All rows are of one width, and each digit is another`(size: LargeText.Size) {
    let digits = "0123456789".map { LargeText.rows(String($0), size, .unicode) }
    #expect(Set(digits).count == 10)
    let rows = LargeText.rows("999.999", size, .unicode)
    #expect(rows.count == size.rows)
    #expect(Set(rows.map(\.count)).count == 1)
  }

  @Test func `Letters are drawn without their accents, and each is another`() {
    let letters = "ABCDEFGHIJKLMNPQRSTUVWXYZ".map { LargeText.rows(String($0), .slim, .unicode) }
    #expect(Set(letters).count == 25)
    #expect(LargeText.rows("Übung", .slim, .unicode) == LargeText.rows("UBUNG", .slim, .unicode))
    // A text that the font lacks stays as it is.
    #expect(LargeText.rows("サビ", .times(3), .unicode) == ["サビ"])
    #expect(LargeText.largest("サビ", columns: 200, rows: 60, .unicode) == .text)
  }

  @Test func `A text is as large as it fits`() {
    #expect(LargeText.largest("120", columns: 200, rows: 60, .unicode) == .times(8))
    #expect(LargeText.largest("120", columns: 200, rows: 14, .unicode) == .times(2))
    #expect(LargeText.largest("120", columns: 43, rows: 60, .unicode) == .times(1))
    #expect(LargeText.largest("120", columns: 21, rows: 5, .unicode) == .slim)
    #expect(LargeText.largest("120", columns: 21, rows: 4, .unicode) == .halved)
    #expect(LargeText.largest("120", columns: 21, rows: 4, .ascii) == .text)
    for size in LargeText.Size.all {
      #expect(LargeText.width("Verse 2", size) == LargeText.rows("Verse 2", size, .unicode)[0].count)
    }
  }
}
