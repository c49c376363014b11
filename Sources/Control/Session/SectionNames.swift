import Validation

/// Finds a song's sections by label or name. The error for an unknown one suggests similar ones.
struct SectionNames: Sendable {
  /// Number of sections, from the song's start, that are found by their names, and with other capitals. A song may repeat a few
  /// sections 100 000 times, and their names may be long.
  private static let named = 1_024
  /// Number of these that are compared with an unknown name, and the number that an error lists.
  private static let considered = 256
  private static let listed = 5

  /// The first section of each label.
  private var labels: [String: Int] = [:]
  /// The first section of each label in lower case.
  private var lowerLabels: [String: Int] = [:]
  /// The first section of each name in lower case.
  private var lowerNames: [String: Int] = [:]
  /// The different labels of the first sections; the name of a section that has no label.
  private var first: [String] = []
  /// Number of these labels and names, and of the sections after them.
  private var count = 0

  init(_ sections: [SessionOutline.Section]) {
    for (index, section) in sections.enumerated() where !section.isCountIn {
      if let label = section.label, labels[label] == nil { labels[label] = index }
      let isFull = first.count == SectionNames.considered
      let shown = section.label ?? section.name
      if isFull || index < SectionNames.named && !shown.isEmpty && !first.contains(shown) {
        count += 1
        if !isFull { first.append(shown) }
      }
      guard index < SectionNames.named else { continue }
      if let label = section.label?.lowercased(), lowerLabels[label] == nil { lowerLabels[label] = index }
      let name = section.name.lowercased()
      if !name.isEmpty, lowerNames[name] == nil { lowerNames[name] = index }
    }
  }

  /// The index of the first section with a label; if no section has it, of the first one with this label in upper or lower case;
  /// otherwise of the first one with this name in upper or lower case. nil if there is none.
  func index(of text: String) -> Int? {
    if let index = labels[text] { return index }
    let lower = text.lowercased()
    return lowerLabels[lower] ?? lowerNames[lower]
  }

  /// The error for an unknown section: a few labels or names that begin similarly. Its length is bounded.
  func unknown(_ text: String) -> InvalidValue {
    guard !first.isEmpty else {
      return InvalidValue("section", quoted(text), allowed: "a number: no section has a label or a name")
    }
    let near = first.enumerated().map { (shared: SectionNames.shared($1, text), index: $0, name: $1) }
      .sorted { ($1.shared, $0.index) < ($0.shared, $1.index) }.prefix(SectionNames.listed)
    let names = near.map(\.name).sorted().map { printable($0, limit: 80) }.joined(separator: ", ")
    let others = count - near.count
    return InvalidValue(
      "section", quoted(text),
      allowed: "one of \(names)" + (others > 0 ? " and \(others) others of the document" : ""))
  }

  /// Number of bytes in the common prefix of two names.
  private static func shared(_ a: String, _ b: String) -> Int {
    zip(a.utf8, b.utf8).prefix { $0 == $1 }.count
  }
}
