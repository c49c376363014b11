import Dispatch

/// Reads a session document; returns its songs, and where in it to begin.
public typealias SessionReader = @Sendable (_ path: String) throws -> (Setlist, SessionPlace)

/// A session document that has been read, or why not.
public struct LoadedSession: Sendable {
  let wish: SessionOpener.Wish
  let session: Result<(setlist: Setlist, place: SessionPlace), any Error>
}

/// Reads session documents away from the conductor, one at a time. What is asked for last counts: of those that are wished for
/// while one is read the last is read next, and neither the others nor that one are opened.
struct SessionOpener {
  struct Wish: Sendable {
    let path: String
    /// Told what was wrong.
    let refuse: (@Sendable (String) -> Void)?
  }

  private let queue: DispatchQueue
  private let read: SessionReader
  /// Where what was read goes.
  private let updates: UpdateQueue
  private var isReading = false
  /// Whether what is being read is wanted no more.
  private var isDropped = false
  private var waiting: Wish?

  init(_ read: @escaping SessionReader, on queue: DispatchQueue, into updates: UpdateQueue) {
    (self.read, self.queue, self.updates) = (read, queue, updates)
  }

  /// Reads a document, in place of all that were wished for before.
  mutating func open(_ wish: Wish) {
    guard !isReading else {
      (waiting, isDropped) = (wish, true)
      return
    }
    (isReading, isDropped) = (true, false)
    queue.async { [read, updates] in
      let session = Result { try read(wish.path) }.map { (setlist: $0.0, place: $0.1) }
      updates.push(Request(.opened(LoadedSession(wish: wish, session: session))))
    }
  }

  /// Wishes for none any more.
  mutating func cancel() { (waiting, isDropped) = (nil, true) }

  /// What was being read has arrived: reads the next.
  /// - Returns: whether it is still wanted.
  mutating func advance() -> Bool {
    let isWanted = !isDropped
    isReading = false
    if let next = waiting {
      waiting = nil
      open(next)
    }
    return isWanted
  }
}
