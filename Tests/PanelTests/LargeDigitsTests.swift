import Testing

@testable import Panel

@Suite struct LargeDigitsTests {
  @Test func `A number is drawn with blocks`() {
    #expect(
      LargeDigits.rows("1.7", .halved, .unicode) == [
        "▄█    ▀▀█", " █      █", "▀▀▀ ▀   ▀",
      ])
    #expect(
      LargeDigits.rows("20", .slim, .ascii) == ["### ###", "  # # #", "### # #", "#   # #", "### ###"])
  }

  @Test(arguments: LargeDigits.Size.allCases)
  func `All rows are of one width, and each digit is another`(size: LargeDigits.Size) {
    let digits = "0123456789".map { LargeDigits.rows(String($0), size, .unicode) }
    #expect(Set(digits).count == 10)
    let rows = LargeDigits.rows("999.999", size, .unicode)
    #expect(rows.count == size.rows)
    #expect(Set(rows.map(\.count)).count == 1)
  }
}
