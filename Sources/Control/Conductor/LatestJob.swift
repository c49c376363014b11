/// Requests for work outside the conductor, carried out one at a time. While one is carried out, only the latest new one is
/// kept.
struct LatestJob<Job> {
  /// Whether a job is being carried out.
  private(set) var isBusy = false
  /// The next job; nil if none waits.
  private(set) var waiting: Job?

  /// Adds a job.
  /// - Returns: the job if it is to be carried out now; nil if it waits.
  mutating func add(_ job: Job) -> Job? {
    guard !isBusy else {
      waiting = job
      return nil
    }
    isBusy = true
    return job
  }

  /// Changes the waiting job, if any.
  /// - Returns: whether a job was waiting.
  mutating func changeWaiting(_ change: (inout Job) -> Void) -> Bool {
    guard waiting != nil else { return false }
    change(&waiting!)
    return true
  }

  mutating func dropWaiting() { waiting = nil }

  /// Notes that a job has been carried out.
  /// - Returns: the job to carry out next; nil if none waits.
  mutating func advance() -> Job? {
    isBusy = false
    return waiting.take().flatMap { add($0) }
  }
}
