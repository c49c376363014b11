import Control
import MusicTime

/// Draws the panel from its model for a given size of the screen.
struct PanelDrawing: ~Copyable {
  let model: PanelModel
  private(set) var canvas: Canvas
  var glyphs: Glyphs { canvas.glyphs }

  static func draw(_ model: PanelModel, columns: Int, rows: Int, _ glyphs: Glyphs) -> Canvas {
    var drawing = PanelDrawing(model: model, canvas: Canvas(columns: columns, rows: rows, glyphs))
    if let list = model.controllers {
      drawing.drawControllers(list)
    } else if model.showsHelp {
      drawing.drawHelp()
    } else if let pairing = model.pairing {
      pairing.draw(on: &drawing.canvas)
    } else {
      drawing.drawPanel()
    }
    if model.isFlashing { drawing.canvas.invert() }
    return drawing.canvas
  }

  private mutating func drawControllers(_ list: ControllerList) {
    ControllerView(model: model, list: list).draw(on: &canvas)
    if let note = model.note { drawNote(note, last: canvas.rows - 1) }
  }

  private mutating func drawPanel() {
    switch model.view {
    case .practice: drawPractice()
    case .stage, .list:
      drawHeader(0)
      // A small window has no list of keys and no empty rows.
      let edge = canvas.rows > 8 ? 2 : 1
      let rows = edge..<max(canvas.rows - edge, edge)
      if model.view == .stage {
        StageView(model: model).draw(on: &canvas, rows: rows)
      } else {
        ListView(model: model, hasCursor: true).draw(on: &canvas, rows: rows)
      }
      let calibration =
        model.view == .list
        ? model.snapshot.timing.flatMap {
          $0.isCalibrating ? TimeLane(timing: $0, glyphs: glyphs).words : nil
        } : nil
      drawLastLine(hasHint: canvas.rows > 8, status: calibration)
    }
  }

  private mutating func drawPractice() {
    let layout = PanelLayout(model, columns: canvas.columns, rows: canvas.rows, glyphs)
    var row = 0
    drawHeader(row)
    row += 1 + layout.gap
    drawTempo(layout.tempo, row)
    row += layout.tempo.rows + layout.gap
    let lights = BeatLights(
      beats: model.beats, light: model.shownLight, cursor: model.editsAccents ? model.cursor : nil,
      glyphs: glyphs)
    if let box = layout.lights {
      lights.draw(box, on: &canvas, row: row)
    } else {
      lights.drawSmall(on: &canvas, row: row)
    }
    row += (layout.lights?.rows ?? 1) + layout.gap
    switch layout.body {
    case .columns:
      drawPattern(row, column: 0, end: canvas.columns / 2 - 1)
      drawVolumes(row, column: canvas.columns / 2 + 1, end: canvas.columns)
      drawStatus(row + 6, column: canvas.columns / 2 + 1)
      // Free rows show the sections.
      let (first, end) = (row + 10, canvas.rows - 3)
      if model.progress != nil, first + 2 < end {
        ListView(model: model, hasCursor: false).draw(on: &canvas, rows: first..<end)
      }
    case .stack(let rows): drawStack(row, rows: rows)
    }
    let hidesStatus = layout.body == .stack(1) || model.snapshot.timing != nil
    drawLastLine(hasHint: layout.hasHint, status: hidesStatus ? status : nil)
  }

  /// Draws the question, the entry, the note, the control to learn, or the status; below it the list of keys. A loss, which may
  /// be reported every second, does not hide that a control is awaited.
  private mutating func drawLastLine(hasHint: Bool, status: String?) {
    let last = canvas.rows - 1
    let row = hasHint ? last - 1 : last
    // A long note may cover this row.
    if hasHint { canvas.put(hint, row: last, column: 2, style: .label) }
    if let question = model.question {
      drawNote(PanelModel.Note(text: words(question), isWarning: true), last: row)
    } else if let entry = model.typing.entry {
      let (text, cursor) = entry.prompt(columns: canvas.columns - 2)
      canvas.put(text, row: row, column: 2, style: .focus)
      let column = 2 + canvas.width(of: String(text.prefix(cursor)))
      canvas.put(String(text.dropFirst(cursor).prefix(1)), row: row, column: column, style: .header)
      if let note = model.note { drawNote(note, last: row - 1) }
    } else if let note = model.note, !(note.isLoss && model.snapshot.learning != nil) {
      drawNote(note, last: row)
    } else if let learning = model.snapshot.learning {
      canvas.put("move a control: \(learning)", row: row, column: 2, style: .focus)
    } else if let prompt = model.choicePrompt, model.view == .practice {
      canvas.put(glyphs.pointer, row: row, column: 0, style: .focus)
      canvas.put(prompt, row: row, column: 2, style: .focus)
    } else if let status {
      canvas.put(status, row: row, column: 2)
    } else if let progress = model.progress, !model.snapshot.isPlaying, model.view != .stage {
      let words =
        progress.isFinished
        ? "\(ProgressText.end(progress)): space plays \(progress.songs > 1 ? "its last song" : "it") again"
        : "space plays this session, :close returns to the metronome"
      canvas.put(words, row: row, column: 2, style: .label)
    }
  }

  private func words(_ question: PanelModel.Question) -> String {
    switch question {
    case .quit: "A session is playing: q or y quits, any other key continues"
    case .open(let name): "A session is playing: Enter opens \(name), any other key continues"
    case .close: "A session is playing: Enter closes it, any other key continues"
    case .replace(let name): "The preset \(name) exists: Enter replaces it, any other key keeps it"
    }
  }

  private var hint: String {
    if model.typing.entry != nil { return "Enter applies it\(glyphs.separator)Esc cancels" }
    // The first hint leads to the list of keys, so it remains visible in a narrow window.
    let keys: [String] =
      switch model.view {
      case .practice:
        ["? keys", "space play", "tab, arrows", "t tap", "m mute", "L learn", "v view", "q quit"]
      case .stage: ["space play", "n next", "enter go", "v view"]
      case .list:
        [
          "? keys", "space play", "arrows, enter",
          "tab \(!model.list.showsDocuments ? "documents" : "songs")", "v view", "q quit",
        ]
      }
    return keys.joined(separator: glyphs.separator)
  }

  /// Draws a note in as many rows as it needs, upward from the last. It covers other parts if necessary, but not the tempo and
  /// beat on stage, and has pages if the screen is too small.
  private mutating func drawNote(_ note: PanelModel.Note, last: Int) {
    let style = note.isWarning ? Style.warning : .plain
    let top = model.firstNoteRow(of: canvas.rows)
    let lines = NoteLines(note.text, columns: canvas.columns, rows: canvas.rows - top)
    let page = lines.page(note.page)
    let last = lines.pages == 1 && page.count <= last - top + 1 ? last : canvas.rows - 1
    let first = lines.pages == 1 ? last - page.count + 1 : top
    for row in max(first, 0)..<max(last + 1, 0) {
      put(String(repeating: " ", count: canvas.columns), row: row, column: 0)
    }
    for (index, line) in page.enumerated() {
      let mark = note.isWarning && index == 0 && note.page == 0 ? "! " : "  "
      put(mark + line, row: first + index, column: 0, style: style)
    }
    guard lines.pages > 1 else { return }
    let key = note.page < lines.pages - 1 ? "down: more" : "up: back"
    put("\(key), \(note.page + 1)/\(lines.pages)", row: last, column: 2, style: .label)
  }

  /// Draws the complete stack on a canvas of its own, and copies the part that fits.
  private mutating func drawStack(_ row: Int, rows: Int) {
    var whole = PanelDrawing(
      model: model, canvas: Canvas(columns: canvas.columns, rows: PanelLayout.stack, glyphs))
    whole.drawPattern(0, column: 0, end: canvas.columns)
    whole.drawVolumes(9, column: 0, end: canvas.columns)
    whole.drawStatus(14, column: 0)
    guard rows < PanelLayout.stack else { return canvas.copy(whole.canvas, from: 0, rows: rows, to: row) }
    if model.progress?.coaching != nil, model.progress?.isFinished == false, whole.focusRow == 0 {
      // A coached player needs the coach's lines; in one row, the progress alone.
      return canvas.copy(whole.canvas, from: rows > 1 ? 0 : 1, rows: rows, to: row)
    }
    // The time check takes two rows; then the last line shows the status.
    let below = model.snapshot.timing == nil ? 1 : 2
    let shown = max(rows - below, 1)
    let top = min(max(whole.focusRow - shown / 2, 0), PanelLayout.stack - shown)
    canvas.copy(whole.canvas, from: top, rows: shown, to: row)
    guard rows > 1 else { return }
    guard let timing = model.snapshot.timing else {
      canvas.put(status, row: row + shown, column: 2)
      return
    }
    let lane = TimeLane(timing: timing, glyphs: glyphs)
    if rows > 2 { canvas.put(lane.scale(width: canvas.columns - 3), row: row + shown, column: 2) }
    canvas.put(lane.words, row: row + rows - 1, column: 2, style: .strong)
  }

  private mutating func drawHelp() {
    // One row is left for the hint.
    let rows = max(canvas.rows - 1, 1)
    let help = PanelModel.helpRows(columns: canvas.columns)
    let top = max(min(model.helpRow, help.count - rows), 0)
    for (row, line) in help[top...].prefix(rows).enumerated() {
      canvas.put(line.keys, row: row, column: 2, style: .strong)
      canvas.put(line.text, row: row, column: PanelModel.helpColumn)
    }
    let isWhole = help.count <= rows
    canvas.put(
      isWhole ? "any key closes this list" : "arrows scroll, any other key closes",
      row: min(rows, help.count + 1), column: 2, style: .label)
  }
}

extension PanelDrawing {
  /// Makes an area react to the mouse. Used by the extensions in other files.
  mutating func mark(_ spot: Spot, rows: Range<Int>, columns: Range<Int>) {
    canvas.mark(spot, rows: rows, columns: columns)
  }

  /// Writes a text. Used by the extensions in other files.
  @discardableResult
  mutating func put(
    _ text: String, row: Int, column: Int, style: Style = .plain, end: Int? = nil
  ) -> Int {
    canvas.put(text, row: row, column: column, style: style, end: end)
  }
}
