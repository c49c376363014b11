import Engine
import Synchronization
import Validation

/// The contents of a session: its songs, and the sections of the current one. Made once for each song. Two outlines are equal
/// only if they are the same object.
package final class SessionOutline: Sendable {
  /// A section of the document, or the count-in.
  package struct Section: Sendable {
    package let name: String
    /// The label in the document; nil if it has none.
    package let label: String?
    /// Number of bars; 0 if the length is a time, or if the section lasts until the player goes on.
    package let bars: Int
    package let isCountIn: Bool

    package init(name: String, label: String? = nil, bars: Int, isCountIn: Bool) {
      (self.name, self.label, self.bars, self.isCountIn) = (name, label, bars, isCountIn)
    }
  }

  /// The titles of the songs.
  package let songs: [String]
  package let sections: [Section]
  /// nil until a section is looked for, because a song may have 100 000.
  private let names = Mutex<SectionNames?>(nil)

  package init(songs: [String], sections: [Section]) { (self.songs, self.sections) = (songs, sections) }

  /// - Parameters:
  ///   - parts: the index of each section's first plan.
  ///   - bars: the number of bars of each section.
  convenience init(_ setlist: Setlist, song: SongPlan, parts: [Int], bars: [Int]) {
    let plans = song.plans
    // Accessed by index, because copying a plan takes long.
    let sections = zip(parts, bars).map { plan, bars in
      Section(
        name: plans[plan].name, label: plans[plan].label, bars: bars, isCountIn: plans[plan].isCountIn)
    }
    self.init(songs: setlist.songs.map(\.song.title), sections: sections)
  }

  /// The index of the section with a label, a name or, if there is none, a number, as `goto` takes it. Labels come before names,
  /// and capitals matter only if two labels differ in nothing else.
  /// - Throws: `InvalidValue` that names a few sections, or the range of their numbers.
  /// - Thread: any but audio
  func section(named text: String) throws(InvalidValue) -> Int {
    if let index = index(of: text) { return index }
    if Int(text) != nil, !sections.isEmpty {
      throw InvalidValue("section", text, allowed: "1…\(sections.count)")
    }
    throw withNames { $0.unknown(text) }
  }

  /// Whether `goto` with this text leads to a section, or to one of the same label and name: a song may repeat it.
  /// - Parameter index: of the section.
  /// - Thread: any but audio
  func isSection(_ index: Int, named text: String) -> Bool {
    guard sections.indices.contains(index) else { return false }
    guard let found = withNames({ $0.index(of: text) }) else { return Int(text) == index + 1 }
    let (section, target) = (sections[index], sections[found])
    return index == found
      || !section.isCountIn && section.label == target.label && section.name == target.name
  }

  private func index(of text: String) -> Int? {
    if let index = withNames({ $0.index(of: text) }) { return index }
    return Int(text).flatMap { $0 > 0 && $0 <= sections.count ? $0 - 1 : nil }
  }

  private func withNames<Result: Sendable>(_ read: (SectionNames) -> Result) -> Result {
    names.withLock { names in
      let known = names ?? SectionNames(sections)
      names = known
      return read(known)
    }
  }
}

extension SessionOutline: Equatable {
  package static func == (a: SessionOutline, b: SessionOutline) -> Bool { a === b }
}
