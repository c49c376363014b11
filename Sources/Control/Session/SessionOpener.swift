/// Reads a session document; returns its songs, and where in it to begin.
package typealias SessionReader = @Sendable (_ path: String) throws -> (Setlist, SessionPlace)

/// A session document that has been read, or why not.
package struct LoadedSession: Sendable {
  let wish: SessionOpener.Wish
  let session: Result<(setlist: Setlist, place: SessionPlace), any Error>
}

/// Decides which session document is read next. The runner reads it away from the conductor. A document that is being read when
/// another is wished for is not opened.
struct SessionOpener {
  struct Wish: Sendable {
    let path: String
    /// Told what was wrong.
    let asker: Asker
    /// Whether it is the open document, which is read again while it plays.
    var isReload = false
  }

  private var wishes = LatestWish<Wish>()
  /// Whether the document that is being read is not wanted any more.
  private var isDropped = false
  /// Whether a document is being read that is not open yet.
  private(set) var isOpening = false

  /// Wishes for a document, in place of all before.
  /// - Returns: the wish to fulfil now, if any.
  mutating func open(_ wish: Wish) -> Wish? {
    isDropped = wishes.isBusy
    isOpening = !wish.isReload
    return wishes.add(wish)
  }

  /// Wishes for none any more.
  mutating func cancel() {
    wishes.dropWaiting()
    (isDropped, isOpening) = (true, false)
  }

  /// A document has arrived.
  /// - Returns: whether it is still wanted, and the wish to fulfil next, if any.
  mutating func advance() -> (isWanted: Bool, next: Wish?) {
    defer { isDropped = false }
    let next = wishes.advance()
    if next == nil { isOpening = false }
    return (!isDropped, next)
  }
}
