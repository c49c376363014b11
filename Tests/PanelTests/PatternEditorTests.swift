import Control
import MusicTime
import Testing

@testable import Panel

@Suite struct PatternEditorTests {
  private static let sounds = ["sine", "clave", "beep"]

  private func editor(_ meter: (Int, Int) = (4, 4)) throws -> PanelModel {
    var snapshot = Snapshot(settings: Settings())
    try snapshot.settings.set(.meter(Meter(meter.0, meter.1)))
    return PanelModel(snapshot, sounds: PatternEditorTests.sounds)
  }

  /// Presses a key, and applies the resulting update.
  private func press(_ key: Key, _ model: inout PanelModel) throws {
    if case .update(.set(let setting))? = model.press(key) { try model.set(setting) }
  }

  private func arrow(_ direction: Key.Direction) -> Key { .arrow(direction, isShifted: false) }

  @Test func `A cursor over the beats gives each of them an accent`() throws {
    var model = try editor()
    #expect(model.press(.character("a")) == nil && model.editsAccents)
    try press(arrow(.up), &model)
    #expect(model.snapshot.settings.accents == (try AccentPattern(text: "xxxx")))
    try press(arrow(.right), &model)
    for accents in ["xoxx", "x.xx", "xXxx", "xxxx"] {
      try press(arrow(.up), &model)
      #expect(model.snapshot.settings.accents == (try AccentPattern(text: accents)))
    }
    try press(arrow(.down), &model)
    #expect(model.snapshot.settings.accents == (try AccentPattern(text: "xXxx")))
    // Round the bar, in both directions.
    for _ in 0..<2 { try press(arrow(.left), &model) }
    #expect(model.cursor == 3)
    try press(arrow(.right), &model)
    #expect(model.cursor == 0)
  }

  @Test func `Letters type the pattern, and Backspace clears it`() throws {
    var model = try editor()
    _ = model.press(.character("a"))
    for letter in "Xo.x" { try press(.character(letter), &model) }
    #expect(model.snapshot.settings.accents == (try AccentPattern(text: "Xo.x")) && model.cursor == 0)
    try press(.backspace, &model)
    #expect(model.snapshot.settings.accents == nil)
    #expect(model.press(.escape) == nil && model.focus == Parameters.tempo.parameter)
    // Elsewhere they do nothing.
    for letter in "xXo." { #expect(model.press(.character(letter)) == nil) }
  }

  @Test func `A shorter bar takes the cursor along`() throws {
    var model = try editor((7, 8))
    _ = model.press(.character("a"))
    for _ in 0..<6 { _ = model.press(arrow(.right)) }
    #expect(model.cursor == 6)
    try model.set(.meter(Meter(3, 4)))
    #expect(model.cursor == 2)
  }

  @Test(arguments: PanelDrawingTests.sizes)
  func `The cursor and what it is on are seen at every size, without colour`(columns: Int, rows: Int) throws {
    for glyphs in [unicode, .ascii] {
      var model = try editor()
      _ = model.press(.character("a"))
      _ = model.press(arrow(.right))
      let lines = model.lines(columns, rows, glyphs)
      #expect(lines.contains { $0.contains("beat 2: beat") }, "\(columns)×\(rows)")
      #expect(lines.contains { $0.contains(glyphs.pointer) }, "\(columns)×\(rows)")
    }
  }

  @Test func `Groups, beat unit, sound and profile are chosen with arrows`() throws {
    var model = try editor((7, 8))
    model.focus = Parameters.groups.parameter
    var seen: [String?] = []
    for _ in 0..<4 {
      try press(arrow(.up), &model)
      seen.append(model.snapshot.settings.groups?.description)
    }
    #expect(seen == ["3+2+2", "2+3+2", "2+2+3", nil])
    model.focus = Parameters.beatUnit.parameter
    try press(arrow(.down), &model)
    #expect(model.snapshot.settings.beatUnit == (try BeatUnit(1, 16)))
    try press(arrow(.up), &model)
    #expect(model.snapshot.settings.beatUnit == nil)
    model.focus = Parameters.profile.parameter
    try press(arrow(.down), &model)
    #expect(model.snapshot.settings.profile == .watch)
    model.focus = Parameters.sound.parameter
    #expect(model.press(arrow(.up)) == .update(.set(.sound("clave"))))
    #expect(model.press(arrow(.down)) == .update(.set(.sound("beep"))))
    // A folder is none of them: the first comes next.
    try model.set(.sound("/clicks"))
    #expect(model.press(arrow(.up)) == .update(.set(.sound("sine"))))
  }

  @Test func `Every division into groups fills the bar, and a long bar has a bounded number`() throws {
    for beats in 1...99 {
      let groupings = PanelModel.groupings(of: beats)
      #expect(groupings.count <= 64)
      for text in groupings { #expect(try Groups(text: text).beats == beats) }
      #expect(Set(groupings).count == groupings.count)
    }
    #expect(PanelModel.groupings(of: 5) == ["3+2", "2+3"])
    #expect(PanelModel.groupings(of: 1).isEmpty)
  }

  @Test func `The gap has bars that sound and silent ones, each moved by an arrow`() throws {
    var model = try editor()
    model.focus = Parameters.gap.parameter
    var seen: [String] = []
    for direction: Key.Direction in [.down, .up, .up, .right, .left, .left, .down, .down, .down] {
      try press(arrow(direction), &model)
      seen.append(model.snapshot.settings.gap.description)
    }
    #expect(seen == ["0+0", "1+1", "1+2", "2+2", "1+2", "1+2", "1+1", "0+0", "0+0"])
  }

  @Test func `Accents that come before the groups are told of`() throws {
    var model = try editor()
    try model.set(.accents(AccentPattern(text: "xxxX")))
    model.focus = Parameters.groups.parameter
    try press(arrow(.up), &model)
    #expect(model.note?.text.contains("xxxX") == true)
  }

  @Test func `A control learns a choice as it is set`() throws {
    var model = try editor()
    try model.set(.sound("clave"))
    model.focus = Parameters.sound.parameter
    #expect(model.press(.character("l")) == .update(.learn(try MIDIAction(.set(.sound("clave"))))))
    model.focus = Parameters.gap.parameter
    #expect(model.press(.character("l")) == .update(.learn(try MIDIAction(.gap))))
  }

  @Test func `A session's document has its own pattern`() throws {
    var model = try model { $0.snapshot.progress = try progress() }
    #expect(model.choices.isEmpty && model.press(.character("a")) == nil && !model.editsAccents)
  }
}
