import Control

/// The songs of a set and the sections of the current one, with where the music is; without a session the presets.
struct ListView {
  let model: PanelModel

  /// A line of the list.
  private struct Line {
    let text: String
    let isCurrent: Bool
    var isHeading = false
  }

  /// Draws the list, scrolled so that the current line is in the middle third.
  /// - Returns: the rows that were used.
  @discardableResult
  func draw(on canvas: inout Canvas, rows: Range<Int>, column: Int = 2, end: Int? = nil) -> Int {
    let lines = lines
    let current = lines.lastIndex(where: \.isCurrent) ?? 0
    let top = min(max(current - rows.count / 3, 0), max(lines.count - rows.count, 0))
    for (offset, line) in lines[top...].prefix(max(rows.count, 0)).enumerated() {
      let style = line.isHeading ? Style.label : line.isCurrent ? .focus : .plain
      let mark = line.isHeading ? "" : line.isCurrent ? canvas.glyphs.playing + " " : "  "
      canvas.put(mark + line.text, row: rows.lowerBound + offset, column: column, style: style, end: end)
    }
    return min(lines.count, rows.count)
  }

  private var lines: [Line] {
    guard let progress = model.progress, let outline = progress.outline else { return presets }
    var lines: [Line] = []
    for (index, title) in outline.songs.enumerated() {
      let isCurrent = index + 1 == progress.song
      if outline.songs.count > 1 {
        lines.append(Line(text: "\(index + 1)  \(title)", isCurrent: isCurrent))
      }
      guard isCurrent else { continue }
      let indent = outline.songs.count > 1 ? "   " : ""
      for (number, section) in outline.sections.enumerated() {
        let length = section.bars == 0 ? "" : ", \(section.bars) bar\(section.bars == 1 ? "" : "s")"
        let name =
          section.name.isEmpty ? (section.isCountIn ? "Count-in" : "Section \(number + 1)") : section.name
        lines.append(
          Line(text: indent + name + length, isCurrent: number + 1 == progress.sectionNumber))
      }
    }
    return lines
  }

  private var presets: [Line] {
    let presets = model.snapshot.settings.presets
    guard !presets.all.isEmpty else {
      return [
        Line(
          text: "No presets yet. :save NAME keeps the present setting,", isCurrent: false, isHeading: true),
        Line(text: "F1 to F12 recall the first twelve.", isCurrent: false, isHeading: true),
      ]
    }
    return presets.all.enumerated().map { index, preset in
      Line(
        text: "\(index + 1)  \(preset.name), \(preset.tempo) in \(preset.meter)",
        isCurrent: preset.name == presets.current)
    }
  }
}
