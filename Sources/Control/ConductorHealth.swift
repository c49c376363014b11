/// Looks at what the engine, the host and the queues have counted, and tells of it.
extension ConductorState {
  /// Nanoseconds between two reports of what went wrong.
  static let healthInterval: UInt64 = 1_000_000_000

  /// Notes what was lost and warns of it, at most once a second.
  func lookAfterHealth() {
    guard Monotonic.now >= nextHealthTime else { return }
    let health = currentHealth
    guard health != now.health else { return }
    nextHealthTime = Monotonic.now + ConductorState.healthInterval
    if let losses = health.losses(since: now.health) { report(.losses(losses)) }
    now.health = health
  }

  private var currentHealth: Health {
    var health = Health()
    health.xruns = host?.xruns ?? 0
    health.gaps = channels.pointee.gaps.load(ordering: .relaxed)
    health.droppedClips = channels.pointee.droppedClips.load(ordering: .relaxed)
    health.droppedEvents = channels.pointee.droppedEvents.load(ordering: .relaxed)
    health.droppedCommands = channels.pointee.droppedCommands.load(ordering: .relaxed) + commands.dropped
    health.droppedControls = channels.pointee.droppedControls.load(ordering: .relaxed)
    health.droppedMessages = refusedMessages
    return health
  }
}
