/// Draws a light for each beat of the bar.
struct BeatLights {
  let beats: [BeatKind]
  let light: PanelModel.Light?
  /// The beat under the cursor, from 0; nil without one.
  var cursor: Int?
  let glyphs: Glyphs

  /// The size of a light with a frame.
  struct Box: Equatable {
    let rows: Int
    let columns: Int

    /// From the largest to the smallest.
    static let all = [Box(rows: 7, columns: 13), Box(rows: 5, columns: 9), Box(rows: 3, columns: 5)]

    /// The largest box in which all beats fit; nil if they fit in none.
    static func largest(_ count: Int, columns: Int, rows: Int) -> Box? {
      all.first { $0.rows <= rows && count * ($0.columns + 1) + 1 <= columns }
    }
  }

  /// Draws a row of boxes. The current beat has a heavy frame, and is filled while it flashes.
  func draw(_ box: Box, on canvas: inout Canvas, row: Int) {
    for (index, kind) in beats.enumerated() {
      let column = 2 + index * (box.columns + 1)
      let isLit = index + 1 == light?.beat
      let isFull = isLit && light?.isFresh == true && light?.isSilent != true
      let style = style(kind, isLit)
      canvas.mark(.beat(index + 1), rows: row..<row + box.rows, columns: column..<column + box.columns)
      let middle = row + box.rows / 2
      if index == cursor { canvas.put(glyphs.pointer, row: middle, column: column - 1, style: .focus) }
      let frame =
        isFull ? Array(repeating: glyphs.pixel, count: 6) : glyphs.frame(isHeavy: isLit)
      func line(_ left: String, _ middle: String, _ right: String) -> String {
        left + String(repeating: middle, count: box.columns - 2) + right
      }
      canvas.put(line(frame[0], frame[1], frame[2]), row: row, column: column, style: style)
      let side = line(frame[3], isFull ? glyphs.pixel : " ", frame[3])
      for inner in row + 1..<row + box.rows - 1 { canvas.put(side, row: inner, column: column, style: style) }
      canvas.put(line(frame[4], frame[1], frame[5]), row: row + box.rows - 1, column: column, style: style)
      let number = String(index + 1)
      let label = glyphs.mark(kind) + (number.count == 1 ? " " : "") + number
      canvas.put(label, row: middle, column: column + (box.columns - 3) / 2, style: style)
    }
  }

  /// Draws one row of symbols, or the number of the beat if they don't fit.
  func drawSmall(on canvas: inout Canvas, row: Int) {
    guard beats.count * 2 <= canvas.columns - 2 else {
      let number = light?.beat ?? 0
      let kind = beats.indices.contains(number - 1) ? beats[number - 1] : .beat
      let symbol = glyphs.light(kind, isLit: number > 0 && light?.isSilent != true)
      let column = canvas.put(symbol, row: row, column: 2, style: style(kind, number > 0))
      canvas.put(
        number > 0 ? " \(number) of \(beats.count)" : " \(beats.count) beats", row: row, column: column)
      return
    }
    for (index, kind) in beats.enumerated() {
      let isLit = index + 1 == light?.beat
      // The current beat of a silent bar stays hollow, but has the style of a current beat.
      let symbol = glyphs.light(kind, isLit: isLit && light?.isSilent != true)
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
