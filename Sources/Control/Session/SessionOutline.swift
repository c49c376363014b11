import Engine

/// The contents of a session, for lists: its songs, and the sections of the current one. Made once for each song. Two outlines
/// are equal only if they are the same object.
package final class SessionOutline: Sendable {
  /// A section of the document, or the count-in.
  package struct Section: Sendable {
    package let name: String
    /// The label in the document, for `goto`; nil if it has none.
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

  package init(songs: [String], sections: [Section]) { (self.songs, self.sections) = (songs, sections) }

  /// - Parameters:
  ///   - parts: the index of each section's first plan.
  ///   - bars: the number of bars of each section.
  init(_ setlist: Setlist, song: SongPlan, parts: [Int], bars: [Int]) {
    songs = setlist.songs.map(\.song.title)
    let plans = song.plans
    // Accessed by index, because copying a plan takes long.
    sections = zip(parts, bars).map { plan, bars in
      Section(
        name: plans[plan].name, label: plans[plan].label, bars: bars, isCountIn: plans[plan].isCountIn)
    }
  }
}

extension SessionOutline: Equatable {
  package static func == (a: SessionOutline, b: SessionOutline) -> Bool { a === b }
}
