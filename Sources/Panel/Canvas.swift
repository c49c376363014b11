import CNcurses
import Validation

/// The style of a cell. The characters express the same information, since a terminal may have no colours.
enum Style: Int, CaseIterable, Sendable {
  case plain, label, strong, header, accentLit, beatLit, here, focus, warning
  /// Dark on light, whatever the terminal's colours.
  case paper
}

/// One column of one row.
struct Cell: Hashable, Sendable {
  /// nil: the right half of the previous character.
  var character: Unicode.Scalar?
  var style: Style

  static let blank = Cell(character: " ", style: .plain)
}

/// The screen's content: rows of cells. Everything outside is cut off.
struct Canvas: Equatable, Sendable {
  let columns: Int
  let rows: Int
  let glyphs: Glyphs
  private var cells: [Cell]
  /// The areas that react to the mouse; later ones cover earlier ones.
  private var zones: [Zone] = []

  private struct Zone: Equatable {
    let rows: Range<Int>
    let columns: Range<Int>
    let spot: Spot
  }

  init(columns: Int, rows: Int, _ glyphs: Glyphs) {
    (self.columns, self.rows, self.glyphs) = (max(columns, 0), max(rows, 0), glyphs)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  subscript(row: Int) -> ArraySlice<Cell> { cells[row * columns..<(row + 1) * columns] }

  /// Writes a text. A place outside the canvas is ignored.
  /// - Parameter end: the column before which the text must end; nil for the canvas's end. A text that is cut ends with `…`.
  /// - Returns: the column after the text.
  @discardableResult
  mutating func put(_ text: String, row: Int, column: Int, style: Style = .plain, end: Int? = nil) -> Int {
    let end = min(end ?? columns, columns)
    guard 0..<rows ~= row, column >= 0, column < end else { return column }
    var column = column
    let characters = cells(of: text)
    let isCut = characters.reduce(0) { $0 + $1.width } > end - column
    for (character, width) in characters {
      guard column + width <= end - (isCut ? 1 : 0) else { break }
      cells[row * columns + column] = Cell(character: character, style: style)
      if width == 2 { cells[row * columns + column + 1] = Cell(character: nil, style: style) }
      column += width
    }
    if isCut {
      cells[row * columns + column] = Cell(character: glyphs.isUnicode ? "…" : "~", style: style)
      column += 1
    }
    return column
  }

  /// Makes an area react to the mouse.
  mutating func mark(_ spot: Spot, rows: Range<Int>, columns: Range<Int>) {
    zones.append(Zone(rows: rows, columns: columns, spot: spot))
  }

  /// What the mouse points at; nil for nothing.
  func spot(row: Int, column: Int) -> Spot? {
    zones.last { $0.rows.contains(row) && $0.columns.contains(column) }?.spot
  }

  /// Shows everything in reverse, as a flash.
  mutating func invert() {
    for index in cells.indices { cells[index].style = cells[index].style == .header ? .plain : .header }
  }

  /// Copies rows from another canvas of the same width, with their areas for the mouse.
  mutating func copy(_ other: Canvas, from first: Int, rows count: Int, to row: Int) {
    let copied = max(min(count, rows - row, other.rows - first), 0)
    for zone in other.zones {
      let shown = zone.rows.clamped(to: first..<first + copied)
      if !shown.isEmpty {
        let shift = row - first
        mark(zone.spot, rows: shown.lowerBound + shift..<shown.upperBound + shift, columns: zone.columns)
      }
    }
    for offset in 0..<copied {
      let start = (row + offset) * columns
      cells.replaceSubrange(start..<start + columns, with: other[first + offset])
    }
  }

  /// The number of columns of a text.
  func width(of text: String) -> Int { cells(of: text).reduce(0) { $0 + $1.width } }

  /// One cell for each visible character. Characters that can't be shown or would control the terminal become a question mark.
  private func cells(of text: String) -> [(character: Unicode.Scalar, width: Int)] {
    text.map { character in
      let scalar = character.unicodeScalars.first!
      let width = Int(wcwidth(wchar_t(bitPattern: scalar.value)))
      let isShown = scalar.isPrintable && 1...2 ~= width && (glyphs.isUnicode || scalar.isASCII)
      return isShown ? (scalar, width) : ("?", 1)
    }
  }

  /// The text of each row, without trailing spaces.
  var lines: [String] {
    (0..<rows).map { row in
      var line = String(String.UnicodeScalarView(self[row].compactMap(\.character)))
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
