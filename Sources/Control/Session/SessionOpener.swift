/// Reads a session document; returns its songs and the place to begin.
package typealias SessionReader = @Sendable (_ path: String) throws -> (Setlist, SessionPlace)

/// A session document that has been read, or the error.
package struct LoadedSession: Sendable {
  let job: SessionOpener.Job
  let session: Result<(setlist: Setlist, place: SessionPlace), any Error>
}

/// Decides which session document is read next. A worker reads it. If another document is requested meanwhile, the one being
/// read is not opened.
struct SessionOpener {
  struct Job: Sendable {
    let path: String
    /// Receives the reason if the document can't be opened.
    let requester: Requester
    /// Whether this reads the open document again while it plays.
    var isReload = false
  }

  private var jobs = LatestJob<Job>()
  /// Whether the document that is being read is no longer wanted.
  private var isDropped = false
  /// Whether a document is being read that is not open yet.
  private(set) var isOpening = false

  /// Requests a document; replaces all earlier requests.
  /// - Returns: the job to carry out now; nil if it waits.
  mutating func open(_ job: Job) -> Job? {
    isDropped = jobs.isBusy
    isOpening = !job.isReload
    return jobs.add(job)
  }

  /// Drops all requests.
  mutating func cancel() {
    jobs.dropWaiting()
    (isDropped, isOpening) = (true, false)
  }

  /// Notes that a document has been read.
  /// - Returns: whether it is still wanted, and the job to carry out next; nil if none waits.
  mutating func advance() -> (isWanted: Bool, next: Job?) {
    defer { isDropped = false }
    let next = jobs.advance()
    if next == nil { isOpening = false }
    return (!isDropped, next)
  }
}
