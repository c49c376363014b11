/// A place in a session: the document, the song, and where in it.
package struct SessionPlace: Hashable, Sendable {
  /// The document's path, from the root.
  package var path: String
  /// From 0.
  package var song: Int
  /// From 0, in the order of the document.
  package var section: Int
  /// The step of the section, from 0: a tempo ladder has several.
  package var step: Int
  /// The bar of the step, from 1; 0 at the section's start.
  package var bar: Int
  /// How often a song without end has gone round.
  package var lap: Int

  package init(path: String, song: Int = 0, section: Int = 0, step: Int = 0, bar: Int = 0, lap: Int = 0) {
    (self.path, self.song, self.section) = (path, song, section)
    (self.step, self.bar, self.lap) = (step, bar, lap)
  }

  /// The start of the section, in the first round.
  package var sectionStart: SessionPlace { SessionPlace(path: path, song: song, section: section) }

  /// Whether some of the session lies before it.
  package var isPastStart: Bool { song > 0 || section > 0 || bar > 1 || lap > 0 }

  /// Where it is, as `bar 3 of Verse`, or `bar 3 of Verse in Ballad` in a setlist.
  package func words(in setlist: Setlist) -> String {
    let playback = SessionPlayback(setlist, at: self)
    let name = playback.name(ofPart: playback.section)
    let section = name.isEmpty ? "section \(playback.section + 1)" : name
    let place = playback.bar > 0 ? "bar \(playback.bar) of \(section)" : section
    let title = playback.song.title
    return setlist.songs.count > 1 && !title.isEmpty ? "\(place) in \(title)" : place
  }
}
