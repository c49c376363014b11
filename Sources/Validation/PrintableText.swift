/// A value as errors show it: printable, in quotes, cut to 40 Unicode scalars.
package func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(40)
  return "'\(printable(String(shown)))\(shown.endIndex < text.unicodeScalars.endIndex ? "…" : "")'"
}

/// Makes text from outside (titles, names, paths, messages) safe to show as one line.
///
/// Every scalar that is not `isPrintable` becomes U+FFFD. If the UTF-8 is longer than `limit` bytes, the text is cut between
/// two scalars and ends in `…`. The limit counts bytes because a character may have any number of combining marks.
/// - Thread: any but audio
package func printable(_ text: String, limit: Int = 1_000) -> String {
  let isCut = text.utf8.count > limit
  // Most texts are plain ASCII and need no copy.
  if !isCut, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return text }
  var shown = String.UnicodeScalarView()
  var length = isCut ? "…".utf8.count : 0
  for scalar in text.unicodeScalars {
    let scalar = scalar.isPrintable ? scalar : "\u{FFFD}"
    length += UTF8.width(scalar)
    guard length <= limit else { return String(shown) + "…" }
    shown.append(scalar)
  }
  return String(shown) + (isCut ? "…" : "")
}

extension Unicode.Scalar {
  /// Whether the scalar can be shown without controlling the terminal, breaking a line or reordering the text around it.
  ///
  /// False for control and format characters (bidirectional controls, tags), line and paragraph separators, private use
  /// and unassigned code points. True for the two joiners, which Persian, Indic scripts and emoji need.
  package var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
    case .format: value == 0x200C || value == 0x200D
    default: true
    }
  }
}
