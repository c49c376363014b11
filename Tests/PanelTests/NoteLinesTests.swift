import Control
import MusicTime
import Testing

@testable import Panel

@Suite struct NoteLinesTests {
  /// A panel with its longest message.
  private func refused(_ columns: Int, _ rows: Int) -> PanelModel {
    var model = model { $0.window = (columns, rows) }
    model.type(":nothing 3")
    _ = model.press(.enter)
    return model
  }

  @Test(arguments: [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60)])
  func `A message can be read as a whole`(columns: Int, rows: Int) throws {
    for glyphs in [unicode, .ascii] {
      var model = refused(columns, rows)
      let message = try #require(model.note?.text)
      var read: [Substring] = []
      for _ in 0..<100 {
        let lines = model.lines(columns, rows, glyphs)
        let isPaged = lines[rows - 1].contains("/")
        let start = isPaged ? 0 : try #require(lines.firstIndex { $0.hasPrefix("! ") })
        let end = isPaged ? rows - 1 : lines.firstIndex { $0.contains(":nothing 3_") } ?? rows
        read += lines[start..<end].joined(separator: " ").split(separator: " ")
        guard isPaged, lines[rows - 1].contains("down: more") else { break }
        #expect(model.press(.arrow(.down, isShifted: false)) == nil)
      }
      // Long words are cut into rows.
      #expect(read.joined().hasSuffix(message.filter { $0 != " " }), "\(columns)x\(rows)")
    }
  }

  @Test func `Arrows turn the pages of a long message, and the next key acts`() {
    var model = refused(20, 5)
    let first = model.lines(20, 5)
    #expect(first[4].hasPrefix("  down: more, 1/"))
    let (up, down) = (Key.arrow(.up, isShifted: false), Key.arrow(.down, isShifted: false))
    #expect(model.press(down, down, up, up) == nil)
    #expect(model.lines(20, 5) == first)
    for _ in 0..<100 { #expect(model.press(down) == nil) }
    #expect(model.lines(20, 5)[4].hasPrefix("  up: back"))
    _ = model.press(.character("x"))
    #expect(model.note == nil && model.typing.entry?.text == ":nothing 3x")
    // A pedal does not count as a key.
    for view in [PanelModel.View.practice, .stage] {
      model = refused(20, 5)
      _ = model.press(.escape)
      model.show(view)
      model.note = PanelModel.Note(text: String(repeating: "long ", count: 100), isWarning: true)
      #expect(model.press(.pageDown) == .update(.go(.next)))
    }
    // A message that the screen shows as a whole leaves the arrows alone.
    model = refused(80, 24)
    _ = model.press(.escape)
    model.note = PanelModel.Note(text: "short", isWarning: true)
    #expect(model.press(up) == .update(.nudge(thousandths: 1_000)))
  }
}
