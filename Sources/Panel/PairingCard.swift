/// How a phone or tablet gets the web page: a code for its camera, and the same in words.
package struct PairingCard: Equatable, Sendable {
  /// The code in half blocks, two squares a line; empty if there is none.
  let code: [String]
  let lines: [String]

  package init(code: [String] = [], lines: [String]) { (self.code, self.lines) = (code, lines) }

  /// Draws the code if there is room for it, and the words.
  func draw(on canvas: inout Canvas) {
    canvas.put(String(repeating: " ", count: canvas.columns), row: 0, column: 0, style: .header)
    canvas.put("A phone or tablet as a remote", row: 0, column: 1, style: .header)
    let words = lines.flatMap { wrapped($0, width: max(canvas.columns - 2, 1)) }
    let width = code.first.map { canvas.width(of: $0) } ?? 0
    let fits =
      canvas.glyphs.isUnicode && width <= canvas.columns && code.count + words.count + 2 <= canvas.rows
    var row = 1
    if fits, !code.isEmpty {
      for (index, line) in code.enumerated() {
        canvas.put(line, row: row + index, column: (canvas.columns - width) / 2, style: .paper)
      }
      row += code.count
    }
    let advice =
      fits || code.isEmpty ? [] : ["a window of \(width)x\(code.count + words.count + 2) shows the code"]
    for (index, line) in (words + advice).enumerated() { canvas.put(line, row: row + index, column: 1) }
    canvas.put("any key closes this", row: canvas.rows - 1, column: 1, style: .label)
  }

  /// Cuts what has no spaces, as an address, and the rest alike.
  private func wrapped(_ text: String, width: Int) -> [String] {
    stride(from: 0, to: max(text.count, 1), by: width).map { String(text.dropFirst($0).prefix(width)) }
  }
}
