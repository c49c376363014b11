/// A place in a session: the document, the song, and the section of it.
public struct SessionPlace: Hashable, Sendable {
  /// The document's path, from the root.
  public var path: String
  /// From 0.
  public var song: Int
  /// From 0, in the order of the document.
  public var section: Int

  public init(path: String, song: Int = 0, section: Int = 0) {
    self.path = path
    self.song = song
    self.section = section
  }
}
