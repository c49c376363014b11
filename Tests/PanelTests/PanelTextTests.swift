import MusicTime
import Testing
import Validation

@testable import Panel

/// The panel's texts, its own and those from outside.
@Suite struct PanelTextTests {
  @Test func `Frequent reports of losses do not hide other messages`() {
    var model = model()
    for (text, isLoss, shown) in [
      ("1 xrun", true, "1 xrun"), ("2 xruns", true, "2 xruns"),
      ("the disk is full", false, "the disk is full"),
      ("3 xruns", true, "the disk is full"), ("too many messages", false, "too many messages"),
    ] {
      let isShown = model.show(PanelModel.Note(text: text, isWarning: true, isLoss: isLoss))
      #expect(isShown == (text == shown))
      #expect(model.lines().contains { $0.hasPrefix("! " + shown) })
    }
  }

  @Test func `The keys fit a terminal of 80 columns`() {
    let model = model { $0.showsHelp = true }
    #expect(model.lines().allSatisfy { !$0.contains("…") })
    #expect(model.lines().contains { $0.hasSuffix("volumes") })
  }

  @Test(arguments: [20, 40, 80]) func `The keys can be read as a whole in a narrow terminal`(columns: Int) {
    var model = model {
      $0.showsHelp = true
      $0.window = (columns, 5)
    }
    var read = Set<String>()
    for _ in 0..<300 {
      read.formUnion(model.lines(columns, 5).prefix(4).map { String($0.dropFirst(10)) })
      _ = model.press(.arrow(.down, isShifted: false))
    }
    #expect(read.allSatisfy { !$0.contains("…") })
    for word in PanelModel.help.flatMap({ $0.1.split(separator: " ") }) {
      let pieces = stride(from: 0, to: word.count, by: columns - 10).map {
        word.dropFirst($0).prefix(columns - 10)
      }
      #expect(pieces.allSatisfy { piece in read.contains { $0.contains(piece) } }, "\(word)")
    }
  }

  @Test func `Titles from strangers neither steer the terminal nor break its columns`() throws {
    let model = try model {
      $0.snapshot.progress = try progress {
        $0.section = "\u{1B}[2J\n日本語のとても長いセクション名がここに入ります"
        $0.next = "\u{202E}\u{E000}\u{2028}\u{9B}31m"
        $0.title = "e\u{301}\u{200B}👨‍👩‍👧"
      }
    }
    let canvas = PanelDrawing.draw(model, columns: 80, rows: 24, unicode)
    let cells = (0..<24).flatMap { canvas[$0] }
    #expect(cells.allSatisfy { $0.character.map(\.isPrintable) ?? true })
    for row in 0..<24 { #expect(canvas[row].count == 80) }
    #expect(canvas.lines[12].hasPrefix("  ?[2J?日本語"))
    #expect(canvas.lines[12].contains("…"))
    #expect(canvas.lines[12].contains("mix"))
  }

  @Test func `Warnings that come together stay, each once, until they would fill the screen`() {
    var panel = model()
    for text in ["one thing", "another thing", "one thing"] { _ = panel.receive(.warning(text)) }
    #expect(panel.note?.text == "one thing — another thing")
    let long = String(repeating: "x", count: 1_490)
    _ = panel.receive(.warning(long))
    #expect(panel.note?.text == long)
    panel.dropNote()
    _ = panel.receive(.warning("later"))
    #expect(panel.note?.text == "later")
  }

  @Test func `A take's summary stays beside what is warned of`() {
    var panel = model()
    _ = panel.show(PanelModel.Note(text: "128 hits.", isWarning: false, summary: "128 hits."))
    for warning in ["the disk is full", "listen is no longer connected"] {
      _ = panel.show(PanelModel.Note(text: warning, isWarning: true))
      #expect(panel.note?.text == "128 hits. \(warning)")
    }
  }
}
