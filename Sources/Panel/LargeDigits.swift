/// A number in large digits: a pixel font three wide and five high.
struct LargeDigits {
  enum Size: CaseIterable {
    /// Five rows, each pixel two columns wide.
    case large
    /// Five rows, each pixel one column wide.
    case slim
    /// Three rows: each character contains two pixels, one above the other.
    case halved
    /// Plain text.
    case text

    var rows: Int {
      switch self {
      case .large, .slim: 5
      case .halved: 3
      case .text: 1
      }
    }
  }

  private static let font: [Character: [String]] = [
    "0": ["###", "# #", "# #", "# #", "###"], "1": [" # ", "## ", " # ", " # ", "###"],
    "2": ["###", "  #", "###", "#  ", "###"], "3": ["###", "  #", "###", "  #", "###"],
    "4": ["# #", "# #", "###", "  #", "  #"], "5": ["###", "#  ", "###", "  #", "###"],
    "6": ["###", "#  ", "###", "# #", "###"], "7": ["###", "  #", "  #", "  #", "  #"],
    "8": ["###", "# #", "###", "# #", "###"], "9": ["###", "# #", "###", "  #", "###"],
    ".": [" ", " ", " ", " ", "#"], "-": ["   ", "   ", "###", "   ", "   "],
  ]

  /// Whether the terminal has the characters for it.
  static func isPossible(_ size: Size, _ glyphs: Glyphs) -> Bool { glyphs.isUnicode || size != .halved }

  /// The rows of a number, all of the same width.
  /// - Parameter number: digits, a point, a minus sign.
  static func rows(_ number: String, _ size: Size, _ glyphs: Glyphs) -> [String] {
    guard size != .text else { return [number] }
    let pixels = (0..<5).map { row in
      number.compactMap { font[$0]?[row] }.joined(separator: " ")
    }
    switch size {
    case .large:
      return pixels.map { row in row.map { $0 == "#" ? glyphs.pixel + glyphs.pixel : "  " }.joined() }
    case .slim: return pixels.map { row in row.map { $0 == "#" ? glyphs.pixel : " " }.joined() }
    case .halved, .text:
      let blank = String(repeating: " ", count: pixels[0].count)
      return stride(from: 0, to: 6, by: 2).map { row in
        zip(pixels[row], row + 1 < 5 ? pixels[row + 1] : blank).map { upper, lower in
          upper == "#" ? (lower == "#" ? "█" : "▀") : (lower == "#" ? "▄" : " ")
        }.joined()
      }
    }
  }
}
