import MusicTime
import Validation

/// The labels of a song and their plans. The error for an unknown label suggests similar labels.
struct SongLabels {
  /// Number of labels, from the song's start, that are compared with an unknown one, and the number that an error lists.
  private static let considered = 256
  private static let listed = 5

  private var plans: [String: Int] = [:]
  private var first: [String] = []

  init(_ song: SongPlan) {
    for index in song.plans.indices {
      guard let label = song.plans[index].label, plans[label] == nil else { continue }
      plans[label] = index
      if first.count < SongLabels.considered { first.append(label) }
    }
  }

  /// The first plan with a label.
  /// - Throws: `InvalidValue` with a few labels that begin similarly. The message's length is bounded.
  func plan(_ label: String) throws(InvalidValue) -> Int {
    if let plan = plans[label] { return plan }
    guard !plans.isEmpty else {
      throw InvalidValue("label", quoted(label), allowed: "in the document, which has none")
    }
    let near = first.enumerated().map { (shared: SongLabels.shared($1, label), index: $0, label: $1) }
      .sorted { ($1.shared, $0.index) < ($0.shared, $1.index) }.prefix(SongLabels.listed)
    let names = near.map(\.label).sorted().map { printable($0, limit: 80) }.joined(separator: ", ")
    let others = plans.count - near.count
    throw InvalidValue(
      "label", quoted(label),
      allowed: "one of \(names)" + (others > 0 ? " and \(others) others of the document" : ""))
  }

  /// Number of bytes in the common prefix of two labels.
  private static func shared(_ a: String, _ b: String) -> Int {
    zip(a.utf8, b.utf8).prefix { $0 == $1 }.count
  }
}
