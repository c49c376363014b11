/// A text in large characters: a pixel font three wide, with a few wider letters, and five high.
enum LargeText {
  enum Size: Hashable, Sendable {
    /// Each pixel is twice this number of columns wide, and this number of rows high.
    case times(Int)
    /// Five rows, each pixel one column wide.
    case slim
    /// Three rows: each character contains two pixels, one above the other.
    case halved
    /// Plain text.
    case text

    /// From the largest to the smallest.
    static let all = (1...8).reversed().map { Size.times($0) } + [.slim, .halved, .text]

    var rows: Int {
      switch self {
      case .times(let factor): 5 * factor
      case .slim: 5
      case .halved: 3
      case .text: 1
      }
    }

    /// Columns of a pixel.
    fileprivate var width: Int {
      if case .times(let factor) = self { return 2 * factor }
      return 1
    }
  }

  private static let font: [Character: [String]] = [
    "0": ["###", "# #", "# #", "# #", "###"], "1": [" # ", "## ", " # ", " # ", "###"],
    "2": ["###", "  #", "###", "#  ", "###"], "3": ["###", "  #", "###", "  #", "###"],
    "4": ["# #", "# #", "###", "  #", "  #"], "5": ["###", "#  ", "###", "  #", "###"],
    "6": ["###", "#  ", "###", "# #", "###"], "7": ["###", "  #", "  #", "  #", "  #"],
    "8": ["###", "# #", "###", "# #", "###"], "9": ["###", "# #", "###", "  #", "###"],
    ".": [" ", " ", " ", " ", "#"], "-": ["   ", "   ", "###", "   ", "   "],
    ",": [" ", " ", " ", "#", "#"], ":": [" ", "#", " ", "#", " "], "'": ["#", "#", " ", " ", " "],
    "!": ["#", "#", "#", " ", "#"], "/": ["  #", "  #", " # ", "#  ", "#  "],
    "+": ["   ", " # ", "###", " # ", "   "], "(": [" #", "# ", "# ", "# ", " #"],
    ")": ["# ", " #", " #", " #", "# "], " ": ["  ", "  ", "  ", "  ", "  "],
    "&": [" ##  ", "#    ", " ## #", "#  # ", " ## #"], "?": ["###", "  #", " ##", "   ", " # "],
    "%": ["# #", "  #", " # ", "#  ", "# #"],
    "A": ["###", "# #", "###", "# #", "# #"], "B": ["## ", "# #", "## ", "# #", "## "],
    "C": ["###", "#  ", "#  ", "#  ", "###"], "D": ["## ", "# #", "# #", "# #", "## "],
    "E": ["###", "#  ", "## ", "#  ", "###"], "F": ["###", "#  ", "## ", "#  ", "#  "],
    "G": ["###", "#  ", "# #", "# #", "###"], "H": ["# #", "# #", "###", "# #", "# #"],
    "I": ["###", " # ", " # ", " # ", "###"], "J": ["  #", "  #", "  #", "# #", "###"],
    "K": ["# #", "# #", "## ", "# #", "# #"], "L": ["#  ", "#  ", "#  ", "#  ", "###"],
    "M": ["#   #", "## ##", "# # #", "#   #", "#   #"], "N": ["#  #", "## #", "# ##", "#  #", "#  #"],
    "O": ["###", "# #", "# #", "# #", "###"], "P": ["###", "# #", "###", "#  ", "#  "],
    "Q": ["###", "# #", "# #", "###", "  #"], "R": ["## ", "# #", "## ", "# #", "# #"],
    "S": [" ##", "#  ", " # ", "  #", "## "], "T": ["###", " # ", " # ", " # ", " # "],
    "U": ["# #", "# #", "# #", "# #", "###"], "V": ["# #", "# #", "# #", "# #", " # "],
    "W": ["#   #", "#   #", "# # #", "## ##", "#   #"], "X": ["# #", "# #", " # ", "# #", "# #"],
    "Y": ["# #", "# #", " # ", " # ", " # "], "Z": ["###", "  #", " # ", "#  ", "###"],
  ]

  /// The characters that replace letters with accents, dashes and apostrophes.
  private static let plain = Dictionary(
    uniqueKeysWithValues: zip("ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝ–—’", "AAAAAACEEEEIIIINOOOOOOUUUUY--'"))

  private static func pixels(_ text: String) -> [[String]]? {
    var pixels: [[String]] = []
    for character in text.uppercased() {
      guard let rows = font[plain[character] ?? character] else { return nil }
      pixels.append(rows)
    }
    return pixels
  }

  /// The largest size in which a text fits.
  static func largest(_ text: String, columns: Int, rows: Int, _ glyphs: Glyphs) -> Size {
    Size.all.first { isPossible(text, $0, glyphs) && $0.rows <= rows && width(text, $0) <= columns } ?? .text
  }

  /// Whether the font has all characters of a text, and the terminal has the characters for the size.
  static func isPossible(_ text: String, _ size: Size, _ glyphs: Glyphs) -> Bool {
    if size == .text { return true }
    return pixels(text) != nil && (glyphs.isUnicode || size != .halved)
  }

  /// The number of columns of a text.
  static func width(_ text: String, _ size: Size) -> Int {
    guard size != .text, let pixels = pixels(text) else { return text.count }
    return size.width * max(pixels.reduce(-1) { $0 + $1[0].count + 1 }, 0)
  }

  /// The rows of a text, all of the same width; the plain text if the font lacks one of its characters.
  static func rows(_ text: String, _ size: Size, _ glyphs: Glyphs) -> [String] {
    guard size != .text, let letters = pixels(text) else { return [text] }
    let pixels = (0..<5).map { row in letters.map { $0[row] }.joined(separator: " ") }
    switch size {
    case .times(let factor):
      let full = String(repeating: glyphs.pixel, count: size.width)
      let empty = String(repeating: " ", count: size.width)
      return pixels.flatMap { row in
        Array(repeating: row.map { $0 == "#" ? full : empty }.joined(), count: factor)
      }
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
