import Control

extension SessionProgress {
  /// The position in a session as text, to show before bar and beat.
  package var line: String {
    var words = songs > 1 ? ["\(song)/\(songs) \(title)"] : title.isEmpty ? [] : [title]
    if !section.isEmpty { words.append(section) }
    if bars > 0 { words.append(bar > 0 ? "\(bar) of \(bars)" : bars == 1 ? "1 bar" : "\(bars) bars") }
    if let left = sectionLeft { words.append(ProgressText.time(left)) }
    if isHeld { words.append("held") }
    if speed != 100 { words.append("\(speed) %") }
    if !next.isEmpty { words.append("then \(next)") }
    return words.joined(separator: " · ") + "  "
  }
}

enum ProgressText {
  /// Seconds as `1:05`.
  static func time(_ seconds: Int) -> String {
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}
