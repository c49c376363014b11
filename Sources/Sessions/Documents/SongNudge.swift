import Control
import Files
import Glibc
import Validation

/// Writes a song's nudge into its document, and changes nothing else in it.
package enum SongNudge {
  /// Why a nudge could not be saved in a document.
  package struct NudgeError: GuardedError {
    let path: String
    let reason: String

    package var description: String { "\(path): the song's tempo is not saved: \(reason)" }
    package var outline: String { printable("the song's tempo is not saved: \(reason)") }
  }

  /// Rewrites a document, completely or not at all.
  /// - Parameter thousandths: the nudge in thousandths of a beat a minute; 0 removes the key.
  /// - Throws: `NudgeError`; the document is then unchanged.
  /// - Thread: any but audio
  package static func write(_ path: String, _ thousandths: Int) throws(NudgeError) {
    func refuse(_ reason: String) -> NudgeError { NudgeError(path: path, reason: reason) }
    let version = FileVersion(of: path)
    let file: TextFile
    do throws(TextFile.ReadError) { file = try TextFile(reading: path) } catch {
      throw refuse(error.ofFile?.what ?? "it is not UTF-8 text")
    }
    guard let text = edited(file.text, thousandths) else {
      throw refuse("put nudge: \(text(thousandths)) at the top of the document yourself")
    }
    do throws(WriteError) {
      try WholeFile.write(
        (file.hasByteOrderMark ? "\u{FEFF}" : "").utf8 + Array(text.utf8), to: path, replacing: version)
    } catch {
      throw refuse("the document can't be written: \(error.reason)")
    }
  }

  /// The nudge in beats a minute, as `2` or `-1.5`.
  static func text(_ thousandths: Int) -> String {
    thousandths % 1_000 == 0 ? "\(thousandths / 1_000)" : "\(Double(thousandths) / 1_000)"
  }

  /// The text of a song with another nudge.
  /// - Returns: nil if the text is not a song, or if the edited text would not read as the same song with that nudge.
  static func edited(_ text: String, _ thousandths: Int) -> String? {
    guard let before = song(text), case .mapping(let root) = YAMLText.compose(text, FaultLog(file: "")) else {
      return nil
    }
    var wanted = before
    wanted.nudge = thousandths
    var lines = Lines(text)
    if let index = root.keys.firstIndex(where: { $0.isNamed("nudge") }) {
      guard case .scalar(let value) = root.values[index], value.isPlain else { return nil }
      lines.replace(value, by: SongNudge.text(thousandths), key: root.keys[index].mark)
    } else if thousandths != 0 {
      lines.insert("nudge: \(SongNudge.text(thousandths))", into: root)
    }
    return song(lines.text) == wanted ? lines.text : nil
  }

  private static func song(_ text: String) -> Session? {
    guard case .song(let session, _) = DocumentContent(text, folder: "", sounds: [], FaultLog(file: ""))
    else {
      return nil
    }
    return session
  }
}

/// The lines of a document, each with its line break.
private struct Lines {
  private var lines: [[Unicode.Scalar]]

  init(_ text: String) {
    lines = [[]]
    for scalar in text.unicodeScalars {
      lines[lines.count - 1].append(scalar)
      if scalar == "\n" { lines.append([]) }
    }
  }

  var text: String {
    var text = String.UnicodeScalarView()
    for line in lines { text.append(contentsOf: line) }
    return String(text)
  }

  /// The line break of the document.
  private var end: [Unicode.Scalar] { lines[0].suffix(2) == ["\r", "\n"] ? ["\r", "\n"] : ["\n"] }

  /// Replaces a plain value. If the new value is 0 and the line contains nothing but the key and the value, removes the line.
  mutating func replace(_ value: Node.Scalar, by text: String, key: Mark) {
    let (line, start) = (value.mark.line - 1, value.mark.column - 1)
    guard lines.indices.contains(line) else { return }
    let after = lines[line].dropFirst(start + value.string.unicodeScalars.count)
    if text == "0", key.line == value.mark.line, after.allSatisfy({ $0.properties.isWhitespace }),
      lines[line].prefix(key.column - 1).allSatisfy({ $0 == " " })
    {
      lines.remove(at: line)
    } else {
      lines[line] = lines[line].prefix(start) + Array(text.unicodeScalars) + after
    }
  }

  /// Inserts a key and its value after the title, or before the first key.
  mutating func insert(_ text: String, into root: Node.Mapping) {
    guard let first = root.keys.first?.mark else { return }
    let (row, column) = (root.mark.line - 1, root.mark.column - 1)
    if lines.indices.contains(row), lines[row].dropFirst(column).first == "{" {
      return lines[row].insert(contentsOf: Array("\(text), ".unicodeScalars), at: column + 1)
    }
    let indent = Array(repeating: Unicode.Scalar(" "), count: first.column - 1)
    var place = first.line - 1
    if let title = root.keys.first(where: { $0.isNamed("title") })?.mark, lines.indices.contains(title.line) {
      // A line that is indented more continues the title.
      let next = lines[title.line].drop { $0 == " " }
      if lines[title.line].count - next.count <= indent.count,
        !next.allSatisfy({ $0.properties.isWhitespace })
      {
        place = title.line
      }
    }
    lines.insert(indent + Array(text.unicodeScalars) + end, at: place)
  }
}
