/// A light for each beat of the bar, in the largest size that fits.
struct BeatLights {
  let beats: [BeatKind]
  let light: PanelModel.Light?
  /// The beat under the cursor, from 0; nil without one.
  var cursor: Int?
  let glyphs: Glyphs

  private static let boxWidth = 5

  /// Whether boxes for all beats fit.
  static func fitLarge(_ count: Int, columns: Int) -> Bool { count * (boxWidth + 1) + 1 <= columns }

  /// Draws three rows of boxes. The current beat has a heavy frame, and is filled when it begins.
  func drawLarge(on canvas: inout Canvas, row: Int) {
    for (index, kind) in beats.enumerated() {
      let column = 2 + index * (BeatLights.boxWidth + 1)
      let isLit = index + 1 == light?.beat
      let style = style(kind, isLit)
      canvas.mark(.beat(index + 1), rows: row..<row + 3, columns: column..<column + BeatLights.boxWidth)
      if index == cursor { canvas.put(glyphs.pointer, row: row + 1, column: column - 1, style: .focus) }
      let number = String(index + 1)
      let label = glyphs.mark(kind) + (number.count == 1 ? " " : "") + number
      if isLit, light?.isFresh == true, light?.isSilent != true {
        let full = glyphs.pixel
        let line = String(repeating: full, count: BeatLights.boxWidth)
        canvas.put(line, row: row, column: column, style: style)
        canvas.put(full + label + full, row: row + 1, column: column, style: style)
        canvas.put(line, row: row + 2, column: column, style: style)
      } else {
        let frame = glyphs.frame(isHeavy: isLit)
        let side = String(repeating: frame[1], count: BeatLights.boxWidth - 2)
        canvas.put(frame[0] + side + frame[2], row: row, column: column, style: style)
        canvas.put(frame[3] + label + frame[3], row: row + 1, column: column, style: style)
        canvas.put(frame[4] + side + frame[5], row: row + 2, column: column, style: style)
      }
    }
  }

  /// Draws one row of symbols, or the number of the beat if they don't fit.
  func drawSmall(on canvas: inout Canvas, row: Int) {
    guard beats.count * 2 <= canvas.columns - 2 else {
      let number = light?.beat ?? 0
      let kind = beats.indices.contains(number - 1) ? beats[number - 1] : .beat
      let symbol = glyphs.light(kind, isLit: number > 0)
      let column = canvas.put(symbol, row: row, column: 2, style: style(kind, number > 0))
      canvas.put(
        number > 0 ? " \(number) of \(beats.count)" : " \(beats.count) beats", row: row, column: column)
      return
    }
    for (index, kind) in beats.enumerated() {
      let isLit = index + 1 == light?.beat
      let symbol = glyphs.light(kind, isLit: isLit)
      canvas.mark(.beat(index + 1), rows: row..<row + 1, columns: 2 + 2 * index..<3 + 2 * index)
      if index == cursor { canvas.put(glyphs.pointer, row: row, column: 1 + 2 * index, style: .focus) }
      canvas.put(symbol, row: row, column: 2 + 2 * index, style: style(kind, isLit))
    }
  }

  private func style(_ kind: BeatKind, _ isLit: Bool) -> Style {
    guard isLit else { return .plain }
    guard light?.isFresh == true, light?.isSilent != true else { return .here }
    return kind == .accent ? .accentLit : .beatLit
  }
}
