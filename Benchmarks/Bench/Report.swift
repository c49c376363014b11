import Foundation

/// The results of one benchmark: a table, plots, and the claims that docs/benchmarks.md publishes.
struct Report: Codable {
  struct Row: Codable {
    var name: String
    /// nil for an empty cell.
    var values: [Double?]
    /// Cycles missed during the measurement: if there are any, the values describe the machine and not the program.
    var missedCycles: Int?
  }

  /// A row of the table in docs/benchmarks.md.
  struct Claim: Codable {
    var what: String
    var tactus: String
    var peers: String
    var goal: String
    /// nil if there is no goal.
    var isMet: Bool?
    /// Cycles missed during the measurement.
    var missedCycles: Int?

    var isSpoiled: Bool { missedCycles ?? 0 > 0 }
    /// The figure, with a mark if cycles were missed.
    var figure: String { tactus + mark(missedCycles: missedCycles) }
  }

  var name: String
  var title: String
  /// The first column names the rows; the titles of the others contain their units.
  var columns: [String]
  var rows: [Row] = []
  var claims: [Claim] = []
  var notes: [String] = []
  var panels: [Panel] = []
  var machine: Machine?

  /// The table as lines, for a terminal.
  var text: String {
    let lines =
      [columns]
      + rows.map { [$0.name + mark(missedCycles: $0.missedCycles)] + $0.values.map { $0.map(shown) ?? "–" } }
    let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    let table = lines.map { cells in
      cells.enumerated().map { index, cell in
        let space = String(repeating: " ", count: widths[index] - cell.count)
        return index == 0 ? cell + space : space + cell
      }.joined(separator: "  ")
    }
    let goals = claims.filter { $0.isMet != nil }.map {
      let verdict = $0.isSpoiled ? "SPOILED" : $0.isMet == true ? "met" : "MISSED"
      return "\(verdict): \($0.what), \($0.goal): \($0.figure) (\($0.peers))"
    }
    return (["", "== \(title)"] + table + goals + notes.map { "note: \($0)" }).joined(separator: "\n")
  }

  /// Writes `NAME.json` and `NAME.svg` into a folder.
  func write(to folder: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: URL(filePath: "\(folder)/\(name).json"))
    guard !panels.isEmpty else { return }
    try Data(Plot(title: title, panels: panels).svg.utf8).write(to: URL(filePath: "\(folder)/\(name).svg"))
  }
}

/// A number for people: about three significant digits, and whole numbers as they are.
func shown(_ value: Double) -> String {
  let magnitude = abs(value)
  if magnitude < 1_000, value == value.rounded() { return String(Int(value)) }
  let digits = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3
  guard magnitude < 0.001 || magnitude >= 1_000 else { return String(format: "%.\(digits)f", value) }
  guard magnitude >= 1_000 else { return String(format: "%.1e", value) }
  // Groups of three digits.
  let number = String(Int(magnitude.rounded()))
  var parts: [Substring] = []
  var rest = Substring(number)
  while rest.count > 3 {
    parts.insert(rest.suffix(3), at: 0)
    rest = rest.dropLast(3)
  }
  return (value < 0 ? "-" : "") + ([rest] + parts).joined(separator: " ")
}
