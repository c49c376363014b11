import Engine
import Realtime

/// Counts what goes wrong, and decides when to report it.
struct HealthWatch {
  /// The time between two reports of what went wrong.
  static let interval = Duration.seconds(1)

  /// As reported last.
  private(set) var health = Health()
  /// The earliest instant for the next report.
  private var nextTime = Instant.distantPast
  /// Messages that the update queue turned away.
  private var refusedMessages = 0

  mutating func noteRefused(_ count: Int) { refusedMessages += count }

  /// Reports at the next look, however short ago the last report was.
  mutating func hasten() { nextTime = .distantPast }

  /// Looks at what was counted, at most once a second.
  /// - Returns: what was lost since the last report, for people; nil if nothing was.
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
