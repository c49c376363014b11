import Engine
import Realtime

/// Counts losses and decides when to report them.
struct HealthWatch {
  /// The minimum time between two reports.
  static let interval = Duration.seconds(1)

  /// The counts of the last report.
  private(set) var health = Health()
  /// The earliest instant for the next report.
  private var nextTime = Instant.distantPast
  /// Messages that the update queue has refused.
  private var refusedMessages = 0

  mutating func noteRefused(_ count: Int) { refusedMessages += count }

  /// Makes the next call of `look` report, no matter how recent the last report is.
  mutating func hasten() { nextTime = .distantPast }

  /// Updates the counts, at most once per second.
  /// - Returns: the losses since the last report, as text; nil if there are none.
  mutating func look(at moment: Moment) -> String? {
    guard moment.instant >= nextTime else { return nil }
    let current = current(at: moment)
    guard current != health else { return nil }
    nextTime = moment.instant + HealthWatch.interval
    defer { health = current }
    return current.losses(since: health)
  }

  private func current(at moment: Moment) -> Health {
    let engine = moment.engine
    var health = Health()
    health.xruns = moment.xruns
    health.gaps = engine.gaps
    health.droppedClips = engine.droppedClips
    health.droppedEvents = engine.droppedEvents
    health.droppedCommands = engine.droppedCommands
    health.droppedControls = engine.droppedControls
    health.droppedMessages = refusedMessages
    health.droppedAnswers = moment.droppedAnswers
    return health
  }
}
