/// Reads a session document; returns its songs, and where in it to begin.
public typealias SessionReader = @Sendable (_ path: String) throws -> (Setlist, SessionPlace)

/// A session document that has been read, or why not.
public struct LoadedSession: Sendable {
  let wish: SessionOpener.Wish
  let session: Result<(setlist: Setlist, place: SessionPlace), any Error>
}

/// Reads session documents away from the conductor. What is asked for last counts (see `LatestWish`): what is
/// being read meanwhile is not opened.
struct SessionOpener {
  struct Wish: Sendable {
    let path: String
    /// Told what was wrong.
    let refuse: (@Sendable (String) -> Void)?
  }

  private var wishes: LatestWish<Wish>
  /// Whether what is being read is wanted no more.
  private var isDropped = false

  /// - Parameters:
  ///   - queue: where documents are read.
  ///   - updates: where what was read goes.
  init(_ read: @escaping SessionReader, on queue: any WorkQueue, into updates: UpdateQueue) {
    wishes = LatestWish(on: queue) { wish in
      let session = Result { try read(wish.path) }.map { (setlist: $0.0, place: $0.1) }
      updates.push(Request(.opened(LoadedSession(wish: wish, session: session))))
    }
  }

  /// Reads a document, in place of all that were wished for before.
  mutating func open(_ wish: Wish) {
    isDropped = wishes.isBusy
    wishes.add(wish)
  }

  /// Wishes for none any more.
  mutating func cancel() { (wishes.waiting, isDropped) = (nil, true) }

  /// What was being read has arrived: reads the next.
  /// - Returns: whether it is still wanted.
  mutating func advance() -> Bool {
    defer {
      isDropped = false
      wishes.advance()
    }
    return !isDropped
  }
}
