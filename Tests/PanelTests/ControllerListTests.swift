import Control
import MIDI
import MusicTime
import Testing

@testable import Panel

@Suite struct ControllerListTests {
  private func binding(_ control: String, _ target: String) throws -> MIDIBinding {
    try MIDIBinding(MIDISource(text: control), MIDIAction(MIDITarget(text: target)))
  }

  /// The list, opened, with two controls that have learned something.
  private func opened() throws -> PanelModel {
    var model = model()
    try model.snapshot.settings.bind(binding("cc 64 channel 1", "toggle"))
    try model.snapshot.settings.bind(binding("note 36 channel 10", "tap"))
    _ = model.press(.character("L"))
    return model
  }

  private func down() -> Key { .arrow(.down, isShifted: false) }

  @Test func `All that a pedal can do is found by typing, and learned with Enter`() throws {
    for text in [
      "resume", "pause/toggle", "restart", "meter 7/8", "beat-unit 3/8", "preset/next", "speed", "gap",
      "tempo/nudge 1", "tempo/nudge -1", "mute/beat", "fade", "stop/bar", "tempo", "volume/cue",
      "quantise bar",
      "profile runner", "voice", "subdivision/3", "go", "session gig.yaml", "goto chorus", "tempo 93.5",
    ] {
      var model = try opened()
      model.type(text.replacing(" ", with: " "))
      // Several rows may contain it: the one that is meant is among them.
      let rows = model.controllerRows
      let wanted = try MIDITarget(text: text)
      let index = try #require(
        rows.firstIndex { if case .target(let found) = $0 { found.target == wanted } else { false } },
        "\(text)")
      model.controllers?.select(index)
      #expect(model.press(.enter) == .update(.learn(try MIDIAction(wanted))), "\(text)")
    }
  }

  @Test func `Songs, sections and presets by name are among them`() throws {
    var model = try opened()
    try model.snapshot.settings.arrange(.save("Verse 1"))
    model.type("verse")
    #expect(model.controllerRows == [.target(Learnable(.preset(.name("Verse 1")), "recalls 120 in 4/4"))])
    model.snapshot.progress = try progress {
      $0.outline = SessionOutline(
        songs: ["One", "Two"], sections: [.init(name: "Chorus", bars: 8, isCountIn: false)])
    }
    _ = model.press(.escape)
    model.type("chorus")
    #expect(model.controllerRows == [.target(Learnable(.goto("1"), "the section Chorus"))])
    _ = model.press(.escape)
    model.type("two")
    #expect(model.controllerRows.contains(.target(Learnable(.song(2), "the song Two"))))
  }

  @Test func `Every listed target can be learned, each once`() throws {
    let all = Learnable.all(model().snapshot, .standard, sounds: ["sine", "beep"])
    #expect(Set(all.map(\.target)).count == all.count)
    for learnable in all {
      #expect(!MIDIAction.ways(of: learnable.target).isEmpty)
      #expect(try MIDITarget(text: "\(learnable.target)") == learnable.target)
    }
  }

  @Test func `What is typed by half does not go before what it begins, and a preset has to be there`() throws
  {
    var model = try opened()
    try model.snapshot.settings.arrange(.save("Ballad"))
    func first() -> Learnable? {
      model.controllerRows.lazy.compactMap { if case .target(let row) = $0 { row } else { nil } }.first
    }
    model.type("preset ba")
    #expect(first()?.target == .preset(.name("Ballad")))
    #expect(
      !model.controllerRows.contains {
        if case .target(let row) = $0 { row.help == "as typed" } else { false }
      })
    model.controllers?.erase(all: true)
    model.type("tempo/nudge 3")
    #expect(first()?.help == "as typed")
  }

  @Test func `Right and left choose how the control acts`() throws {
    var model = try opened()
    model.type("toggle")
    let index = try #require(
      model.controllerRows.firstIndex {
        if case .target(let found) = $0 { found.target == .toggle } else { false }
      })
    model.controllers?.select(index)
    var seen: [Gesture] = []
    for _ in 0..<4 {
      _ = model.press(.arrow(.right, isShifted: false))
      seen.append(try #require(model.selectedAction).gesture)
    }
    #expect(seen == [.hold, .double, .latch, .press])
    _ = model.press(.arrow(.left, isShifted: false))
    #expect(model.lines().contains { $0.contains("toggle (latch)") })
    #expect(model.press(.enter) == .update(.learn(try MIDIAction(.toggle, gesture: .latch))))
  }

  @Test func `What has been learned is listed, removed and tested`() throws {
    var model = try opened()
    #expect(model.lines().contains { $0.contains("cc 64 channel 1") && $0.contains("toggle") })
    #expect(model.lines()[0].contains("2 learned"))
    model.controllers?.select(1)
    #expect(model.press(.delete) == .update(.unbind(try binding("note 36 channel 10", "tap"))))
    model.snapshot.moved = MovedControl(.controlChange(channel: 1, controller: 64, value: 127))
    #expect(model.lines()[1].contains("cc 64 channel 1: toggle"))
    #expect(model.lines().contains { $0.contains("▶ cc 64 channel 1") })
    model.snapshot.moved = MovedControl(.controlChange(channel: 2, controller: 64, value: 127))
    #expect(model.lines()[1].contains("cc 64 channel 2: has learned nothing"))
  }

  @Test func `Esc ends the learning, the search and the list, in this order`() throws {
    var model = try opened()
    model.type("tap")
    model.snapshot.learning = try MIDIAction(.tap)
    #expect(model.lines().contains { $0.contains("move a control: tap") })
    #expect(model.press(.escape) == .update(.learn(nil)))
    model.snapshot.learning = nil
    #expect(model.press(.escape) == nil && model.controllers?.search == "")
    #expect(model.press(.escape) == nil && model.controllers == nil)
  }

  @Test func `Space still starts and stops, and separates words of a search`() throws {
    var model = try opened()
    #expect(model.press(.character(" ")) == .update(.toggle))
    model.type("mute beat")
    #expect(model.controllers?.search == "mute beat")
    #expect(
      model.controllerRows.contains {
        if case .target(let row) = $0 { "\(row.target)" == "mute/beat" } else { false }
      })
  }

  @Test(arguments: [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60)])
  func `At every size the selected row and the learning are seen`(columns: Int, rows: Int) throws {
    for glyphs in [unicode, .ascii] {
      var model = try opened()
      for _ in 0..<30 {
        let action = try #require(model.selectedAction)
        let lines = model.lines(columns, rows, glyphs)
        let line = try #require(lines.first { $0.hasPrefix(glyphs.pointer) }, "\(columns)×\(rows)")
        #expect(line.contains("\(action.target)".prefix(8)))
        _ = model.press(down())
      }
      model.snapshot.learning = try MIDIAction(.tap)
      #expect(model.lines(columns, rows, glyphs)[1].contains("move a control"))
    }
  }

  @Test func `A click selects, the second one learns, and the wheel scrolls`() throws {
    var model = try opened()
    let canvas = PanelDrawing.draw(model, columns: 80, rows: 24, unicode)
    let spot = try #require(canvas.spot(row: 6, column: 5))
    let click = Mouse(deed: .click, row: 6, column: 5)
    #expect(model.point(click, at: spot) == nil)
    let action = try #require(model.selectedAction)
    #expect(model.point(click, at: spot) == .update(.learn(action)))
    let row = model.controllers?.row
    _ = model.point(Mouse(deed: .wheelUp, row: 6, column: 5), at: spot)
    #expect(model.controllers?.row == row.map { $0 - 1 })
  }

  @Test func `A search that finds nothing says so`() throws {
    var model = try opened()
    model.type("xylophone")
    #expect(model.controllerRows.isEmpty && model.press(.enter) == nil && model.press(.delete) == nil)
    #expect(model.lines().contains { $0.contains("no match") })
  }
}
