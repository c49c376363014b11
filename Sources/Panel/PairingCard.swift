/// How a phone or tablet opens the web page: a QR code for its camera, and an address as text.
package struct PairingCard: Equatable, Sendable {
  /// The QR code in half blocks: a line contains two rows of modules. Empty if there is none.
  let code: [String]
  let lines: [String]

  /// - Parameters:
  ///   - code: the QR code in half blocks; empty for none.
  ///   - lines: the text below it.
  package init(code: [String] = [], lines: [String]) { (self.code, self.lines) = (code, lines) }

  /// Draws the code, if it fits, and the text.
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

  /// Breaks a text at the width, also within words: an address has no spaces.
  private func wrapped(_ text: String, width: Int) -> [String] {
    stride(from: 0, to: max(text.count, 1), by: width).map { String(text.dropFirst($0).prefix(width)) }
  }
}
