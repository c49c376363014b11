/// Looks at what the engine, the host and the queues have counted, and tells of it.
extension ConductorCore {
  /// Nanoseconds between two reports of what went wrong.
  static let healthInterval: UInt64 = 1_000_000_000

  /// Notes what was lost and warns of it, at most once a second.
  func lookAfterHealth() {
    guard time >= health.nextTime else { return }
    let current = currentHealth
    guard current != now.health else { return }
    health.nextTime = time + ConductorCore.healthInterval
    if let losses = current.losses(since: now.health) { report(.losses(losses)) }
    now.health = current
  }

  /// Notes messages that the update queue turned away, and warns of them.
  func noteRefused(_ count: Int) {
    guard count > 0 else { return }
    health.refusedMessages += count
    report(.warning("\(count) messages were dropped: too many at once"))
  }

  /// Notes how many answers have been lost by whoever sends them, since the start.
  func note(droppedAnswers: Int) { health.droppedAnswers = droppedAnswers }

  /// Reports at the next look, however short ago the last report was.
  func hastenHealth() { health.nextTime = 0 }

  private var currentHealth: Health {
    var health = Health()
    health.xruns = host?.xruns ?? 0
    health.gaps = channels.pointee.gaps.load(ordering: .relaxed)
    health.droppedClips = channels.pointee.droppedClips.load(ordering: .relaxed)
    health.droppedEvents = channels.pointee.droppedEvents.load(ordering: .relaxed)
    health.droppedCommands = channels.pointee.droppedCommands.load(ordering: .relaxed) + commands.dropped
    health.droppedControls = channels.pointee.droppedControls.load(ordering: .relaxed)
    health.droppedMessages = self.health.refusedMessages
    health.droppedAnswers = self.health.droppedAnswers
    return health
  }
}

/// What the conductor itself counts of its health, and when it looks next.
struct HealthWatch {
  /// By the monotonic clock.
  var nextTime: UInt64 = 0
  /// Messages that the update queue turned away.
  var refusedMessages = 0
  /// Answers that whoever sends them has lost.
  var droppedAnswers = 0
}
