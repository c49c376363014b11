/// A note broken into rows of the screen's width, and into pages if it has more rows than the screen.
struct NoteLines {
  let lines: [String]
  /// The rows of the screen.
  private let rows: Int

  init(_ text: String, columns: Int, rows: Int) {
    self.rows = max(rows, 1)
    let width = max(columns - 2, 1)
    let ruler = Canvas(columns: 0, rows: 0, .unicode)
    var lines = [""]
    // A word longer than a row is broken.
    let words = text.split(whereSeparator: \.isWhitespace).flatMap { word in
      stride(from: 0, to: word.count, by: width).map { word.dropFirst($0).prefix(width) }
    }
    for word in words {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if ruler.width(of: line) + 1 + ruler.width(of: String(word)) <= width {
        lines[lines.count - 1] = line + " " + word
      } else {
        lines.append(String(word))
      }
    }
    self.lines = lines
  }

  /// A page leaves one row for the hint that names the keys.
  private var pageRows: Int { max(rows - 1, 1) }

  /// The number of pages; 1 if the note fits on the screen.
  var pages: Int { lines.count <= rows ? 1 : (lines.count + pageRows - 1) / pageRows }

  /// The rows of a page.
  /// - Parameter number: from 0.
  func page(_ number: Int) -> ArraySlice<String> {
    pages == 1 ? lines[...] : lines.dropFirst(number * pageRows).prefix(pageRows)
  }
}
