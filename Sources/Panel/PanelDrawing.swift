import Control
import MusicTime

/// Draws the panel from the model, for a size of the screen.
struct PanelDrawing {
  let model: PanelModel
  private(set) var canvas: Canvas
  var glyphs: Glyphs { canvas.glyphs }

  static func draw(_ model: PanelModel, columns: Int, rows: Int, _ glyphs: Glyphs) -> Canvas {
    var drawing = PanelDrawing(model: model, canvas: Canvas(columns: columns, rows: rows, glyphs))
    if model.showsHelp { drawing.drawHelp() } else { drawing.drawPanel() }
    return drawing.canvas
  }

  private mutating func drawPanel() {
    let layout = PanelLayout(model, columns: canvas.columns, rows: canvas.rows, glyphs)
    var row = 0
    drawHeader(row)
    row += 1 + layout.gap
    drawTempo(layout.tempo, row)
    row += layout.tempo.rows + layout.gap
    let lights = BeatLights(beats: model.beats, light: model.light, glyphs: glyphs)
    if layout.hasLargeLights {
      lights.drawLarge(on: &canvas, row: row)
    } else {
      lights.drawSmall(on: &canvas, row: row)
    }
    row += (layout.hasLargeLights ? 3 : 1) + layout.gap
    switch layout.body {
    case .columns:
      drawPattern(row, column: 0, end: canvas.columns / 2 - 1)
      drawVolumes(row, column: canvas.columns / 2 + 1, end: canvas.columns)
      drawStatus(row + 6, column: canvas.columns / 2 + 1)
    case .stack(let rows): drawStack(row, rows: rows)
    }
    drawLastLine(layout)
  }

  /// Draws the typed text, the note, or the list of keys.
  private mutating func drawLastLine(_ layout: PanelLayout) {
    let last = canvas.rows - 1
    let row = layout.hasHint ? last - 1 : last
    if let entry = model.entry {
      canvas.put("meter \(entry)_  Enter sets it", row: row, column: 2, style: .focus)
    } else if let note = model.note {
      canvas.put(
        (note.isWarning ? "! " : "  ") + note.text, row: row, column: 0,
        style: note.isWarning ? .warning : .plain)
    } else if layout.body == .stack(1) {
      canvas.put(status, row: row, column: 2)
    }
    guard layout.hasHint else { return }
    let keys = ["space play", "tab, arrows", "t tap", "m mute", "l learn", "s save", "? keys", "q quit"]
    canvas.put(keys.joined(separator: glyphs.separator), row: last, column: 2, style: .label)
  }

  /// Draws the complete stack on a canvas of its own, and copies the part that fits.
  private mutating func drawStack(_ row: Int, rows: Int) {
    var whole = PanelDrawing(
      model: model, canvas: Canvas(columns: canvas.columns, rows: PanelLayout.stack, glyphs))
    whole.drawPattern(0, column: 0, end: canvas.columns)
    whole.drawVolumes(9, column: 0, end: canvas.columns)
    whole.drawStatus(14, column: 0)
    guard rows < PanelLayout.stack else { return canvas.copy(whole.canvas, from: 0, rows: rows, to: row) }
    let shown = max(rows - 1, 1)
    let top = min(max(whole.focusRow - shown / 2, 0), PanelLayout.stack - shown)
    canvas.copy(whole.canvas, from: top, rows: shown, to: row)
    if rows > 1 { canvas.put(status, row: row + shown, column: 2) }
  }

  private mutating func drawHelp() {
    for (row, line) in PanelModel.help.enumerated() {
      canvas.put(line.0, row: row, column: 2, style: .strong)
      canvas.put(line.1, row: row, column: 10)
    }
    if canvas.rows > PanelModel.help.count + 1 {
      canvas.put("any key closes this list", row: PanelModel.help.count + 1, column: 2, style: .label)
    }
  }
}

extension PanelDrawing {
  /// Writes a text. Used by the extensions in other files.
  @discardableResult
  mutating func put(
    _ text: String, row: Int, column: Int, style: Style = .plain, end: Int? = nil
  ) -> Int {
    canvas.put(text, row: row, column: column, style: style, end: end)
  }
}
