import Control

/// The songs of a set and the sections of the current one, with where the music is; without a session the presets.
struct ListView {
  let model: PanelModel

  /// A line of the list.
  private struct Line {
    let text: String
    let isCurrent: Bool
    /// What a click on it goes to.
    var spot: Spot?
    var isHeading = false
  }

  /// Draws the list, scrolled so that the current line is in the middle third.
  /// - Returns: the rows that were used.
  @discardableResult
  func draw(on canvas: inout Canvas, rows: Range<Int>, column: Int = 2, end: Int? = nil) -> Int {
    let top = min(max(current - rows.count / 3, 0), max(count - rows.count, 0))
    for (offset, index) in (top..<count).prefix(rows.count).enumerated() {
      let line = self.line(index)
      let style = line.isHeading ? Style.label : line.isCurrent ? .focus : .plain
      let mark = line.isHeading ? "" : line.isCurrent ? canvas.glyphs.playing + " " : "  "
      let row = rows.lowerBound + offset
      canvas.put(mark + line.text, row: row, column: column, style: style, end: end)
      if let spot = line.spot {
        canvas.mark(spot, rows: row..<row + 1, columns: column..<max(end ?? canvas.columns, column))
      }
    }
    return min(count, rows.count)
  }

  // Only lines that are shown are made: a song may have 100 000 sections.

  private var count: Int {
    guard let outline = model.progress?.outline else { return presets.count }
    return outline.sections.count + (outline.songs.count > 1 ? outline.songs.count : 0)
  }

  private var current: Int {
    guard let progress = model.progress, let outline = progress.outline else {
      return presets.firstIndex(where: \.isCurrent) ?? 0
    }
    return progress.sectionNumber - 1 + (outline.songs.count > 1 ? progress.song : 0)
  }

  /// The sections of the current song stand below its title.
  private func line(_ index: Int) -> Line {
    guard let progress = model.progress, let outline = progress.outline else { return presets[index] }
    guard outline.songs.count > 1 else { return section(index, progress, outline, indent: "") }
    if index < progress.song { return song(index, progress, outline) }
    let number = index - progress.song
    if number < outline.sections.count { return section(number, progress, outline, indent: "   ") }
    return song(index - outline.sections.count, progress, outline)
  }

  private func song(_ index: Int, _ progress: SessionProgress, _ outline: SessionOutline) -> Line {
    Line(
      text: "\(index + 1)  \(outline.songs[index])", isCurrent: index + 1 == progress.song,
      spot: .song(index + 1))
  }

  private func section(
    _ index: Int, _ progress: SessionProgress, _ outline: SessionOutline, indent: String
  ) -> Line {
    let section = outline.sections[index]
    let length = section.bars == 0 ? "" : ", \(section.bars) bar\(section.bars == 1 ? "" : "s")"
    let name = section.name.isEmpty ? (section.isCountIn ? "Count-in" : "Section \(index + 1)") : section.name
    return Line(
      text: indent + name + length,
      isCurrent: index + 1 == progress.sectionNumber && !progress.isFinished, spot: .section(index + 1))
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
        isCurrent: preset.name == presets.current, spot: .preset(index + 1))
    }
  }
}
