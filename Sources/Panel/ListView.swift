import Control

/// Draws the songs of a set, with the sections and the position of the current one, or the presets and documents.
struct ListView: ~Copyable {
  let model: PanelModel
  private let content: ListContent
  /// The index of the line under the cursor; nil without a cursor.
  private let cursor: Int?

  /// - Parameter hasCursor: true for the view *list*, false for the list of sections below the panel.
  init(model: PanelModel, hasCursor: Bool) {
    self.model = model
    content = ListContent(model, isBrowser: hasCursor)
    cursor = hasCursor ? model.listIndex : nil
  }

  /// Draws the list, scrolled so that a third of the rows is above the cursor, or above the current line.
  func draw(on canvas: inout Canvas, rows: Range<Int>) {
    let column = 2
    let top = min(
      max((cursor ?? content.home ?? 0) - rows.count / 3, 0), max(content.count - rows.count, 0))
    for (offset, index) in (top..<content.count).prefix(rows.count).enumerated() {
      let (row, line) = (rows.lowerBound + offset, content[index])
      if case .text(let text) = line {
        canvas.put(text, row: row, column: column, style: .label)
        continue
      }
      let (isSelected, isCurrent) = (index == cursor, isCurrent(line))
      let style = isSelected ? Style.focus : !isCurrent ? .plain : cursor == nil ? .focus : .here
      if isSelected { canvas.put(canvas.glyphs.pointer, row: row, column: 0, style: style) }
      let mark = isCurrent ? canvas.glyphs.playing + " " : "  "
      canvas.put(mark + text(line), row: row, column: column, style: style)
      canvas.mark(.line(line), rows: row..<row + 1, columns: 0..<canvas.columns)
    }
  }

  private func isCurrent(_ line: ListContent.Line) -> Bool {
    if case .song(let number) = line { return number == model.progress?.song }
    if case .section = line, model.progress?.isFinished == true { return false }
    return content.isCurrent(line)
  }

  private func text(_ line: ListContent.Line) -> String {
    switch line {
    case .text(let text): text
    case .song(let number): "\(number)  \(model.progress?.outline?.songs[number - 1] ?? "")"
    case .section(let number): section(number)
    case .preset(let number): preset(number)
    case .document(let name): document(name)
    }
  }

  private func section(_ number: Int) -> String {
    guard let outline = model.progress?.outline else { return "" }
    let section = outline.sections[number - 1]
    let length = section.bars == 0 ? "" : ", \(section.bars) bar\(section.bars == 1 ? "" : "s")"
    let name = section.name.isEmpty ? (section.isCountIn ? "Count-in" : "Section \(number)") : section.name
    return (outline.songs.count > 1 ? "   " : "") + name + length
  }

  private func preset(_ number: Int) -> String {
    let preset = model.snapshot.settings.presets.all[number - 1]
    return "\(number)  \(preset.name), \(preset.tempo) in \(preset.meter)"
  }

  /// The title, length, first tempo and meter of a document, and its file name.
  private func document(_ name: String) -> String {
    guard let document = model.list.documents?.first(where: { $0.name == name }) else { return name }
    guard let content = document.content else {
      return name + (document.isFaulty ? ": can't be played; tactus check says why" : "")
    }
    let length =
      content.seconds.map { ProgressText.time(Int($0.rounded())) }
      ?? content.leastSeconds.map {
        $0 > 0 ? "at least \(ProgressText.time(Int($0.rounded())))" : "until you go on"
      }
      ?? "without end"
    let parts = [
      content.title, content.songs > 1 ? "\(content.songs) songs" : nil, length,
      "\(content.tempo) in \(content.meter)",
    ]
    return parts.compactMap { $0 }.joined(separator: ", ") + "  (\(name))"
  }
}
