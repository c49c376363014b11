/// The characters of the panel: Unicode, or ASCII if the terminal has no others.
struct Glyphs: Equatable, Sendable {
  let isUnicode: Bool

  static let unicode = Glyphs(isUnicode: true)
  static let ascii = Glyphs(isUnicode: false)

  /// Marks the focus.
  var pointer: String { isUnicode ? "›" : ">" }
  var playing: String { isUnicode ? "▶" : ">" }
  var stopped: String { isUnicode ? "■" : "#" }
  var paused: String { isUnicode ? "‖" : "=" }
  var separator: String { isUnicode ? " · " : " | " }
  /// A pixel of a large digit.
  var pixel: String { isUnicode ? "█" : "#" }
  var gauge: (full: String, empty: String) { isUnicode ? ("█", "░") : ("#", "-") }

  /// The symbol of a beat before its number.
  func mark(_ kind: BeatKind) -> String {
    switch kind {
    case .accent: isUnicode ? "◆" : ">"
    case .beat: " "
    case .soft: isUnicode ? "◦" : "."
    case .silent: isUnicode ? "–" : "-"
    }
  }

  /// The symbol of a beat in a row of beats.
  func light(_ kind: BeatKind, isLit: Bool) -> String {
    switch kind {
    case .accent: isUnicode ? (isLit ? "◆" : "◇") : (isLit ? "X" : "+")
    case .beat: isUnicode ? (isLit ? "●" : "○") : (isLit ? "#" : "o")
    case .soft: isUnicode ? (isLit ? "•" : "◦") : (isLit ? "*" : ".")
    case .silent: isUnicode ? (isLit ? "×" : "·") : (isLit ? "x" : "_")
    }
  }

  /// The parts of a light's frame: top left, top, top right, side, bottom left, bottom right.
  func frame(isHeavy: Bool) -> [String] {
    guard isUnicode else {
      return isHeavy ? ["#", "=", "#", "#", "#", "#"] : ["+", "-", "+", "|", "+", "+"]
    }
    return isHeavy ? ["┏", "━", "┓", "┃", "┗", "┛"] : ["┌", "─", "┐", "│", "└", "┘"]
  }
}

/// The click of a beat: its role and strength.
enum BeatKind: Equatable, Sendable {
  case accent, beat, soft, silent
}
