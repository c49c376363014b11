import MusicTime
import Validation

/// Finds a song's sections by label or name. The error for an unknown one suggests similar labels.
struct SongLabels {
  /// Number of labels, from the song's start, that are compared with an unknown one, and the number that an error lists.
  private static let considered = 256
  private static let listed = 5

  /// The first plan of each label.
  private var plans: [String: Int] = [:]
  private var first: [String] = []
  /// The first plan of each label and of each name, in lower case. nil until a text is not a label, because a song can have
  /// 100 000 sections.
  private var names: [String: Int]?

  init(_ song: SongPlan) {
    for index in song.plans.indices {
      guard let label = song.plans[index].label, plans[label] == nil else { continue }
      plans[label] = index
      if first.count < SongLabels.considered { first.append(label) }
    }
  }

  /// The first plan with a label; if there is no such label, the first one with this label or name in upper or lower case.
  /// - Parameter song: the song that this was made from.
  /// - Throws: `InvalidValue` with a few labels that begin similarly, or names if there are no labels. The message's length is
  ///   bounded.
  mutating func plan(_ text: String, in song: SongPlan) throws(InvalidValue) -> Int {
    if let plan = plans[text] { return plan }
    let names = self.names ?? readNames(song)
    if let plan = names[text.lowercased()] { return plan }
    guard !first.isEmpty else {
      throw InvalidValue("section", quoted(text), allowed: "a number: no section has a label or a name")
    }
    let near = first.enumerated().map { (shared: SongLabels.shared($1, text), index: $0, label: $1) }
      .sorted { ($1.shared, $0.index) < ($0.shared, $1.index) }.prefix(SongLabels.listed)
    let shown = near.map(\.label).sorted().map { printable($0, limit: 80) }.joined(separator: ", ")
    let others = (plans.isEmpty ? names.count : plans.count) - near.count
    throw InvalidValue(
      "section", quoted(text),
      allowed: "one of \(shown)" + (others > 0 ? " and \(others) others of the document" : ""))
  }

  /// Labels come before names.
  private mutating func readNames(_ song: SongPlan) -> [String: Int] {
    var names: [String: Int] = [:]
    for (label, plan) in plans {
      let label = label.lowercased()
      names[label] = min(plan, names[label] ?? plan)
    }
    for index in song.plans.indices where !song.plans[index].name.isEmpty && !song.plans[index].isCountIn {
      let name = song.plans[index].name
      guard names[name.lowercased()] == nil else { continue }
      names[name.lowercased()] = index
      if plans.isEmpty, first.count < SongLabels.considered { first.append(name) }
    }
    self.names = names
    return names
  }

  /// Number of bytes in the common prefix of two labels.
  private static func shared(_ a: String, _ b: String) -> Int {
    zip(a.utf8, b.utf8).prefix { $0 == $1 }.count
  }
}
