import MusicTime
import Testing

@Suite struct PerRoleTests {
  @Test(arguments: ClickRole.allCases)
  func `A role is written and read by itself`(role: ClickRole) {
    var names = PerRole(repeating: "")
    names[role] = role.name
    for other in ClickRole.allCases { #expect(names[other] == (other == role ? role.name : "")) }
    let expected = PerRole(accent: "accent", beat: "beat", subdivision: "subdivision", cue: "cue")
    #expect(names[role] == expected[role])
  }

  @Test func `What is made of each stays with its role`() {
    let lengths = PerRole(accent: "accent", beat: "beat", subdivision: "subdivision", cue: "cue").map(\.count)
    #expect(lengths == PerRole(accent: 6, beat: 4, subdivision: 11, cue: 3))
  }
}
