import Control
import MusicTime
import Testing

@testable import Panel

@Suite struct ListViewTests {
  static let sizes = [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60)]

  private static func document(_ name: String, _ title: String, songs: Int = 1) throws -> DocumentSummary {
    DocumentSummary(
      name: name,
      content: DocumentSummary.Content(
        title: title, songs: songs, seconds: 185, tempo: try Tempo(90), meter: try Meter(7, 8)))
  }

  /// Two presets and three documents, one of which can't be played.
  private func browser() throws -> PanelModel {
    try model {
      $0.show(.list)
      try $0.snapshot.settings.arrange(.save("A"))
      try $0.snapshot.settings.arrange(.save("B"))
      $0.list.documents = [
        try Self.document("gig.yaml", "Friday night", songs: 12),
        DocumentSummary(name: "odd.yaml", content: nil, isFaulty: true),
        try Self.document("warm-ups/slow.yaml", "Slow"),
      ]
    }
  }

  /// A set of three songs, in the second section of its second one.
  private func session() throws -> PanelModel {
    try model {
      $0.show(.list)
      $0.snapshot.progress = try progress {
        $0.sectionNumber = 2
        $0.outline = SessionOutline(
          songs: ["One", "Blue Rondo", "Three"],
          sections: ["A", "B", "C"].map { .init(name: $0, bars: 8, isCountIn: false) })
      }
      $0.list.documents = [try Self.document("gig.yaml", "Friday night", songs: 12)]
    }
  }

  private static let (up, down) = (Key.arrow(.up, isShifted: false), Key.arrow(.down, isShifted: false))

  /// The row that the cursor is on.
  private func pointed(_ model: PanelModel, _ columns: Int = 80, _ rows: Int = 24, _ glyphs: Glyphs = unicode)
    throws -> String
  {
    let found = model.lines(columns, rows, glyphs).filter { $0.hasPrefix(glyphs.pointer + " ") }
    #expect(found.count == 1)
    return try #require(found.first)
  }

  @Test(arguments: sizes)
  func `The cursor goes over presets and documents, and is seen in every size without colour`(
    columns: Int, rows: Int
  ) throws {
    for glyphs in [unicode, .ascii] {
      var model = try browser()
      // The preset that was saved last.
      #expect(try pointed(model, columns, rows, glyphs).contains("\(glyphs.playing) 2  B"))
      #expect(model.press(Self.up) == nil)
      #expect(try pointed(model, columns, rows, glyphs).contains("  1  A"))
      #expect(model.press(Self.up) == nil)
      #expect(try pointed(model, columns, rows, glyphs).contains("  1  A"))
      _ = model.press(Self.down, Self.down)
      #expect(try pointed(model, columns, rows, glyphs).contains("Friday night"))
      #expect(model.press(.pageDown) == nil)
      #expect(try pointed(model, columns, rows, glyphs).contains("Slow, 3:05"))
      #expect(model.press(.pageUp) == nil)
      #expect(try pointed(model, columns, rows, glyphs).contains("  1  A"))
    }
  }

  @Test func `A document tells its title, songs, length, tempo, meter and file, or that it can't be played`()
    throws
  {
    let text = try browser().lines().joined(separator: "\n")
    #expect(text.contains("Friday night, 12 songs, 3:05, 90 in 7/8  (gig.yaml)"))
    #expect(text.contains("odd.yaml: can't be played; tactus check says why"))
    #expect(text.contains("Slow, 3:05, 90 in 7/8  (warm-ups/slow.yaml)"))
  }

  @Test func `Enter recalls a preset and opens a document, and space starts and stops`() throws {
    var model = try browser()
    #expect(model.press(.enter) == .update(.preset(.recall(.number(2)))))
    #expect(model.press(Self.up, .enter) == .update(.preset(.recall(.number(1)))))
    #expect(model.press(.tab, .enter) == .update(.open(path: "gig.yaml")))
    #expect(model.press(.tab, .enter) == .update(.preset(.recall(.number(2)))))
    #expect(model.press(.character(" ")) == .update(.toggle))
    // Its path is told: another of that name may be open.
    model.status.sessionFolder = "/home/me/sessions"
    #expect(model.press(.tab, .enter) == .update(.open(path: "/home/me/sessions/gig.yaml")))
    _ = model.press(.tab)
    // What the list does not show is not changed.
    let before = model
    for direction in [Key.Direction.left, .right] {
      #expect(model.press(.arrow(direction, isShifted: false)) == nil && model == before)
    }
    #expect(model.press(.character("+")) == .update(.nudge(thousandths: 1_000)))
  }

  @Test func `What shows the documents has them listed anew`() throws {
    var model = model()
    model.show(.stage)
    #expect(model.press(.character("v")) == .listDocuments && model.view == .list)
    #expect(model.press(.tab) == .listDocuments)
    #expect(model.lines().contains { $0.contains("being listed") })
    // There is nothing to choose: Enter is go, as elsewhere.
    #expect(model.listIndex == nil && model.press(Self.down, .pageUp) == nil)
    #expect(model.press(.enter) == .update(.advance))
    (model.list.documents, model.status.sessionFolder) = ([], "/home/me/sessions")
    #expect(model.lines().contains { $0.contains("none in /home/me/sessions") })
    // In a session they are not shown until Tab is pressed, and nothing is read.
    model = try session()
    model.show(.stage)
    #expect(model.press(.character("v")) == nil && model.view == .list)
    #expect(model.press(.tab) == .listDocuments)
    #expect(model.press(.tab) == nil)
  }

  @Test(arguments: sizes)
  func `In a session the cursor follows the music until it is moved`(columns: Int, rows: Int) throws {
    var model = try session()
    #expect(try pointed(model, columns, rows).contains("▶    B, 8 bars"))
    model.snapshot.progress?.sectionNumber = 3
    #expect(try pointed(model, columns, rows).contains("▶    C, 8 bars"))
    _ = model.press(Self.up)
    model.snapshot.progress?.sectionNumber = 1
    #expect(try pointed(model, columns, rows).contains("     B, 8 bars"))
    #expect(model.lines(80, 24).contains { $0.hasPrefix("  ▶    A") })
    _ = model.press(.escape)
    #expect(try pointed(model, columns, rows).contains("▶    A, 8 bars"))
    _ = model.press(.pageDown)
    #expect(try pointed(model, columns, rows).contains("3  Three"))
    _ = model.press(.pageUp)
    #expect(try pointed(model, columns, rows).contains("1  One"))
  }

  @Test func `Enter goes to another section or song, and is go where the music is`() throws {
    var model = try session()
    #expect(model.press(.enter) == .update(.advance))
    #expect(model.press(Self.down, .enter) == .update(.go(.section(3))))
    #expect(model.press(Self.down, Self.up, .enter) == .update(.advance))
    #expect(model.press(.pageDown, .enter) == .update(.go(.song(3))))
    #expect(model.press(.pageUp, .enter) == .update(.go(.song(1))))
    // The section of one song is none of the next.
    _ = model.press(Self.down)
    model.snapshot.progress?.song = 3
    #expect(model.list.selected == nil)
    // In the set's last song its sections are last.
    #expect(try pointed(model).contains("▶    B, 8 bars"))
  }

  @Test func `A document is opened over a session that plays only when Enter is pressed once more`() throws {
    var model = try session()
    #expect(model.press(.tab) == .listDocuments)
    #expect(try pointed(model).contains("Friday night, 12 songs"))
    #expect(model.press(.enter) == nil)
    #expect(model.lines().contains { $0.contains("A session is playing: Enter opens gig.yaml") })
    #expect(model.press(.character(" ")) == .update(.toggle) && model.question == nil)
    #expect(model.press(.enter) == nil)
    #expect(model.press(.enter) == .update(.open(path: "gig.yaml")))
    // Another session is open then: its songs are shown.
    model.snapshot.settings.session = SessionPlace(path: "/home/me/sessions/gig.yaml")
    #expect(!model.list.showsDocuments && model.isOpen("gig.yaml"))
    _ = model.press(.tab)
    #expect(try pointed(model).contains("▶ Friday night"))
    model.snapshot.isPlaying = false
    #expect(model.press(.enter) == .update(.open(path: "gig.yaml")))
    _ = model.press(.tab, .escape)
    #expect(!model.list.showsDocuments)
    // Documents are the list's alone: below the panel are the sections.
    _ = model.press(.tab)
    model.show(.practice)
    #expect(model.lines(120, 40).contains { $0.contains("▶    B, 8 bars") })
  }

  @Test func `The list of 100 000 sections takes no time`() throws {
    var model = try session()
    let sections = (1...100_000).map { SessionOutline.Section(name: "S\($0)", bars: 8, isCountIn: false) }
    model.snapshot.progress?.outline = SessionOutline(songs: ["One", "Two", "Three"], sections: sections)
    for _ in 0..<1_000 { _ = model.press(.pageDown) }
    #expect(try pointed(model).contains("S10002"))
  }

  @Test func `A list without the accents types and moves none`() throws {
    var model = try browser()
    _ = model.press(.character("a"))
    #expect(model.view == .practice && model.editsAccents)
    model.show(.list)
    #expect(model.press(.character("x")) == nil && model.press(.backspace) == nil)
  }
}
