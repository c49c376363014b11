/// A place in a session: the document, the song, and the section of it.
package struct SessionPlace: Hashable, Sendable {
  /// The document's path, from the root.
  package var path: String
  /// From 0.
  package var song: Int
  /// From 0, in the order of the document.
  package var section: Int

  package init(path: String, song: Int = 0, section: Int = 0) {
    self.path = path
    self.song = song
    self.section = section
  }
}
