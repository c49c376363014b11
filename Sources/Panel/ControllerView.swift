import Control

/// Draws the list of MIDI controllers.
struct ControllerView: ~Copyable {
  let model: PanelModel
  let list: ControllerList

  func draw(on canvas: inout Canvas) {
    let bound = model.snapshot.settings.bindings.count
    let search = list.search.isEmpty ? "type to search" : "search \(list.search)_"
    canvas.put(String(repeating: " ", count: canvas.columns), row: 0, column: 0, style: .header)
    canvas.put("MIDI, \(bound) learned  \(search)", row: 0, column: 1, style: .header)
    let hasHint = canvas.rows > 6
    let (state, style) = self.state
    canvas.put(state, row: 1, column: 2, style: style)
    drawRows(on: &canvas, 2..<max(canvas.rows - (hasHint ? 1 : 0), 2))
    guard hasHint else { return }
    canvas.put(
      "enter learns, right/left how, del removes, esc back", row: canvas.rows - 1, column: 2, style: .label)
  }

  /// The action that is learned, or the actions of the control that was moved last.
  private var state: (text: String, Style) {
    if let learning = model.snapshot.learning { return ("move a control: \(learning)", .focus) }
    guard let moved = model.snapshot.moved else { return ("move a control to see what it does", .label) }
    let actions = model.snapshot.settings.bindings.filter(moved.moves).map { "\($0.action)" }
    return (
      "\(moved.source): " + (actions.isEmpty ? "has learned nothing" : actions.joined(separator: ", ")),
      moved.isDown ? .strong : .plain
    )
  }

  private func drawRows(on canvas: inout Canvas, _ rows: Range<Int>) {
    let all = model.controllerRows
    let top = min(max(list.row - rows.count / 3, 0), max(all.count - rows.count, 0))
    for (offset, index) in (top..<all.count).prefix(rows.count).enumerated() {
      let (row, isSelected) = (rows.lowerBound + offset, index == list.row)
      draw(all[index], isSelected: isSelected, on: &canvas, row: row)
      canvas.mark(.controllerRow(index), rows: row..<row + 1, columns: 0..<canvas.columns)
    }
    if all.isEmpty {
      canvas.put("no match: Esc lists all", row: rows.lowerBound, column: 2, style: .label)
    }
  }

  private func draw(_ row: ControllerList.Row, isSelected: Bool, on canvas: inout Canvas, row line: Int) {
    if isSelected { canvas.put(canvas.glyphs.pointer, row: line, column: 0, style: .focus) }
    let style = isSelected ? Style.focus : .plain
    let second = min(26, canvas.columns / 2)
    switch row {
    case .binding(let binding):
      let isMoved = model.snapshot.moved?.moves(binding) == true
      let mark = isMoved ? canvas.glyphs.playing : canvas.glyphs.light(.beat, isLit: true)
      canvas.put(
        "\(mark) \(binding.source)", row: line, column: 2, style: isMoved ? .here : style, end: second - 1)
      canvas.put("\(binding.action)", row: line, column: second, style: style)
    case .target(let learnable):
      let action = isSelected ? model.selectedAction : nil
      let name = action.map { "\($0)" } ?? "\(learnable.target)"
      let end = canvas.put(name, row: line, column: 2, style: style)
      canvas.put(learnable.help, row: line, column: max(end + 2, second), style: .label)
    }
  }
}
