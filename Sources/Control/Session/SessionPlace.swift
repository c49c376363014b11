/// A place in a session: the document, the song, and the place within the song.
package struct SessionPlace: Hashable, Sendable {
  /// The document's absolute path.
  package var path: String
  /// The index of the song, from 0.
  package var song: Int
  /// The index of the section, from 0, in the document's order.
  package var section: Int
  /// The step of the section, from 0; a tempo ladder has several.
  package var step: Int
  /// The bar within the step, from 1; 0 at the section's start.
  package var bar: Int
  /// Number of completed rounds of a song without end.
  package var lap: Int

  package init(path: String, song: Int = 0, section: Int = 0, step: Int = 0, bar: Int = 0, lap: Int = 0) {
    (self.path, self.song, self.section) = (path, song, section)
    (self.step, self.bar, self.lap) = (step, bar, lap)
  }

  /// The start of the section in the first round.
  package var sectionStart: SessionPlace { SessionPlace(path: path, song: song, section: section) }

  /// Whether the place is after the session's start.
  package var isPastStart: Bool { song > 0 || section > 0 || step > 0 || bar > 1 || lap > 0 }

  /// Whether the music comes to this place before the other one.
  func isBefore(_ other: SessionPlace) -> Bool {
    (song, lap, section, step, bar) < (other.song, other.lap, other.section, other.step, other.bar)
  }

  /// The place in words: `bar 3 of Verse`, or `bar 3 of Verse in Ballad` in a setlist.
  package func words(in setlist: Setlist) -> String {
    let playback = SessionPlayback(setlist, at: self)
    let name = playback.name(ofPart: playback.section)
    let section = name.isEmpty ? "section \(playback.section + 1)" : name
    let place = playback.bar > 0 ? "bar \(playback.bar) of \(section)" : section
    let title = playback.song.title
    return setlist.songs.count > 1 && !title.isEmpty ? "\(place) in \(title)" : place
  }
}
