import Testing
import TimeCheck
import Validation

@Suite struct NoteMapTests {
  @Test func `What was not learned is as in General MIDI`() {
    #expect(NoteMap().drum(of: 36) == .kick)
    #expect(NoteMap().drum(of: 10) == nil)
  }

  @Test func `What was learned comes first, and is read as it is written`() throws {
    var map = NoteMap()
    map.learn(40, as: .rim)
    map.learn(10, as: .openHiHat)
    #expect(map.drum(of: 40) == .rim && map.drum(of: 10) == .openHiHat && map.drum(of: 36) == .kick)
    #expect(map.text == "10 open hi-hat, 40 rim")
    #expect(try NoteMap(text: map.text) == map)
    #expect(try NoteMap(text: "") == NoteMap())
  }

  @Test func `What General MIDI says is not kept`() {
    var map = NoteMap()
    map.learn(40, as: .rim)
    map.learn(40, as: .snare)
    #expect(map == NoteMap() && map.text.isEmpty)
  }

  @Test(arguments: ["128 snare", "38", "38 snare, ", "38 banjo", "38 snare, 38 rim", "x snare", "-1 snare"])
  func `What is no map is refused`(text: String) {
    #expect(throws: InvalidValue.self) { try NoteMap(text: text) }
  }
}
