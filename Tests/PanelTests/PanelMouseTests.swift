import Control
import MusicTime
import Testing

@testable import Panel

@Suite struct PanelMouseTests {
  /// The first place at which a target can be clicked; nil if there is none.
  private func place(
    _ model: PanelModel, _ columns: Int, _ rows: Int, where isWanted: (Spot) -> Bool
  ) -> (row: Int, column: Int, spot: Spot)? {
    let canvas = PanelDrawing.draw(model, columns: columns, rows: rows, unicode)
    for row in 0..<rows {
      for column in 0..<columns {
        if let spot = canvas.spot(row: row, column: column), isWanted(spot) { return (row, column, spot) }
      }
    }
    return nil
  }

  /// Uses the mouse at a target.
  private func point(
    _ deed: Mouse.Deed, _ model: inout PanelModel, columns: Int = 80, rows: Int = 24,
    where isWanted: (Spot) -> Bool
  ) throws -> PanelModel.Action? {
    let any = place(model, columns, rows, where: isWanted)
    let found = try #require(any)
    return model.point(Mouse(deed: deed, row: found.row, column: found.column), at: found.spot)
  }

  @Test(arguments: [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60)])
  func `The wheel on the tempo moves it, whatever the size`(columns: Int, rows: Int) throws {
    var model = model()
    model.focus = Parameters.volume(.cue).parameter
    #expect(
      try point(.wheelUp, &model, columns: columns, rows: rows) { $0 == .tempo }
        == .update(.nudge(thousandths: 1_000)))
    #expect(model.focus == Parameters.tempo.parameter)
    #expect(
      try point(.wheelDown, &model, columns: columns, rows: rows) { $0 == .tempo }
        == .update(.nudge(thousandths: -1_000)))
    model.snapshot.progress = try progress { $0.speed = 90 }
    #expect(
      try point(.wheelUp, &model, columns: columns, rows: rows) { $0 == .tempo }
        == .update(.speed(percent: 91)))
  }

  @Test(arguments: [(40, 12), (80, 24), (120, 40), (200, 60)])
  func `A click on a beat gives it the next accent`(columns: Int, rows: Int) throws {
    var model = model()
    var seen: [String] = []
    for _ in 0..<4 {
      let action = try point(.click, &model, columns: columns, rows: rows) { $0 == .beat(3) }
      guard case .update(.set(let setting))? = action else { continue }
      try model.set(setting)
      seen.append(model.snapshot.settings.accents?.description ?? "")
    }
    #expect(seen == ["Xxox", "Xx.x", "XxXx", "Xxxx"])
    #expect(model.editsAccents && model.cursor == 2)
    model.snapshot.progress = try progress()
    #expect(try point(.click, &model, columns: columns, rows: rows) { $0 == .beat(3) } == nil)
    #expect(model.note?.text.contains("the document sets the accents") == true)
  }

  @Test func `A click on a fader sets it there, its ends included`() throws {
    let mix = Parameters.volume(.master).parameter
    var model = model()
    func isMix(_ spot: Spot) -> Bool { if case .fader(mix, _) = spot { true } else { false } }
    let found = try #require(place(model, 80, 24, where: isMix))
    guard case .fader(_, let gauge) = found.spot else { return }
    for (column, volume) in [
      (gauge.lowerBound, 0), (gauge.upperBound - 1, 1), (gauge.lowerBound + gauge.count / 2, 0.5),
    ] {
      let action = model.point(Mouse(deed: .click, row: found.row, column: column), at: found.spot)
      #expect(action == .update(.set(.volume(.master, try Volume(volume)))))
    }
    // Its name gives it the focus, and changes nothing.
    model.focus = Parameters.tempo.parameter
    #expect(model.point(Mouse(deed: .click, row: found.row, column: 42), at: found.spot) == nil)
    #expect(model.focus == mix)
    #expect(
      model.point(Mouse(deed: .wheelDown, row: found.row, column: 42), at: found.spot)
        == .update(.set(.volume(.master, try Volume(0.99)))))
  }

  @Test func `A section and a song of the list are gone to, a preset recalled`() throws {
    var model = try model {
      $0.snapshot.progress = try progress {
        $0.outline = SessionOutline(
          songs: ["One", "Blue Rondo", "Three"],
          sections: ["A", "B", "C"].map { .init(name: $0, bars: 8, isCountIn: false) })
      }
      $0.show(.list)
    }
    #expect(try point(.click, &model) { $0 == .line(.section(3)) } == .update(.go(.section(3))))
    #expect(try point(.click, &model) { $0 == .line(.song(1)) } == .update(.go(.song(1))))
    model.snapshot.progress = nil
    try model.snapshot.settings.arrange(.save("A"))
    try model.snapshot.settings.arrange(.save("B"))
    #expect(try point(.click, &model) { $0 == .line(.preset(2)) } == .update(.preset(.recall(.number(2)))))
    model.list.documents = [DocumentSummary(name: "gig.yaml", content: nil)]
    #expect(
      try point(.click, &model) { $0 == .line(.document("gig.yaml")) } == .update(.open(path: "gig.yaml")))
    // The wheel moves the cursor, wherever it is.
    #expect(model.listIndex == 3 && model.point(Mouse(deed: .wheelUp, row: 9, column: 70), at: nil) == nil)
    #expect(model.listIndex == 1)
  }

  @Test func `On stage, while something is typed, and beside everything it does nothing`() throws {
    var model = model()
    #expect(model.point(Mouse(deed: .click, row: 23, column: 79), at: nil) == nil)
    model.type("12")
    #expect(model.point(Mouse(deed: .wheelUp, row: 3, column: 3), at: .tempo) == nil)
    #expect(model.typing.entry?.text == "12")
    _ = model.press(.escape)
    model.show(.stage)
    #expect(model.point(Mouse(deed: .wheelUp, row: 3, column: 3), at: .tempo) == nil)
    #expect(model.point(Mouse(deed: .click, row: 3, column: 3), at: .beat(1)) == nil)
  }

  @Test func `The wheel scrolls the list of keys`() {
    var model = model()
    _ = model.press(.character("?"))
    #expect(model.point(Mouse(deed: .wheelDown, row: 1, column: 1), at: nil) == nil)
    #expect(model.helpRow == 1 && model.showsHelp)
    _ = model.point(Mouse(deed: .click, row: 1, column: 1), at: nil)
    #expect(model.showsHelp)
  }

  @Test func `No place outside the screen can be pointed at`() throws {
    for (columns, rows) in PanelDrawingTests.sizes {
      let model = model { $0.focus = Parameters.swing.parameter }
      let canvas = PanelDrawing.draw(model, columns: columns, rows: rows, unicode)
      #expect(canvas.spot(row: -1, column: 0) == nil && canvas.spot(row: rows, column: 0) == nil)
    }
  }
}
