import MusicTime
import Testing

@Suite("Accents, groups, subdivisions, swing")
struct PatternTests {
  @Test("Accents are read one for each beat and print as they were typed")
  func accents() throws {
    let pattern = try AccentPattern(text: "Xxo.")
    #expect(pattern.accents == [.accent, .beat, .soft, .silent])
    #expect(pattern.description == "Xxo.")
    #expect(pattern.accents.map(\.strength) == [1, 1, 0.5, 0])
    #expect(pattern.accents.map(\.role) == [.accent, .beat, .beat, .beat])
  }

  @Test(
    "Other letters, none, or more than a bar can have are refused",
    arguments: ["", "Xx x", "xXO", "x\u{301}"])
  func badAccents(text: String) {
    let allowed = "one of X (accent), x (beat), o (soft), . (silent) for each beat"
    expectRefusal("accents '\(text)': must be \(allowed)") { try AccentPattern(text: text) }
    let long = String(repeating: "x", count: 9_802)
    expectRefusal("accents '\(long.prefix(40))…': must be \(allowed)") { try AccentPattern(text: long) }
  }

  @Test("Groups are read, summed and print as they were typed")
  func groups() throws {
    let groups = try Groups(text: "3+2+2")
    #expect(groups.sizes == [3, 2, 2] && groups.beats == 7 && groups.description == "3+2+2")
    #expect(try Groups(text: "9801").beats == 9_801)
  }

  @Test(
    "Groups of another form, empty ones and huge ones are refused",
    arguments: ["", "+", "3+", "3++2", "3+0", "-1+4", "3 + 2", "a", "9802"])
  func badGroups(text: String) {
    expectRefusal("groups '\(text)': must be beats in each group, as in 3+2+2") { try Groups(text: text) }
  }

  @Test("A gap is read and prints as it was typed, and is turned off and on")
  func gap() throws {
    for text in ["4+4", "1+0", "99+99", "0+0"] { #expect(try Gap(text: text).description == text) }
    #expect(try Gap(text: "0+0") == .off)
    #expect(try Gap(play: 4, rest: 4).toggled == .off && Gap.off.toggled == Gap(play: 1, rest: 1))
  }

  @Test(
    "A gap of another form, without bars that sound or too long is refused",
    arguments: ["", "4", "4+", "+4", "1+1+1", "-1+1", "4 + 4", "a+b"])
  func badGap(text: String) throws {
    let allowed = "1…99 bars that sound and 0…99 that are silent, as in 4+4; 0+0 is none"
    expectRefusal("gap '\(text)': must be \(allowed)") { try Gap(text: text) }
    for (play, rest) in [(0, 1), (100, 1), (1, 100), (1, -1), (.min, .max)] {
      expectRefusal("gap \(play)+\(rest): must be \(allowed)") { try Gap(play: play, rest: rest) }
    }
  }

  @Test("A subdivision has 2 to 9 parts")
  func subdivisions() throws {
    #expect(Subdivision.all.map(\.parts) == [2, 3, 4, 5, 6, 7, 8, 9])
    for parts in [0, 1, 10, -3] {
      expectRefusal("subdivision \(parts): must be 2…9 parts of a beat") { try Subdivision(parts) }
    }
    #expect(try Subdivision(2) < Subdivision(9))
  }

  @Test("Swing goes from 0 to 1 in thousandths")
  func swing() throws {
    #expect(try Swing(0.667).thousandths == 667)
    #expect(try Swing(0.0004) == .straight)
    #expect(try Swing(1).amount == 1)
    for (value, shown) in [(-0.1, "-0.1"), (1.001, "1.001"), (.nan, "nan"), (.infinity, "inf")] {
      expectRefusal(
        "swing \(shown): must be 0…1 (0 straight, 0.667 triplet, 1 dotted), or 50%…75% of the pair"
      ) {
        try Swing(value)
      }
    }
  }
}
