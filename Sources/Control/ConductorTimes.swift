import Engine
import Synchronization

/// When the conductor wakes.
extension ConductorCore {
  /// Nanoseconds between looks at the engine's events where they may come at any moment, where only others can bring some about, and
  /// where none is in sight. A server that begins to freewheel must not have filled their ring by then.
  private static let busyInterval: UInt64 = 4_000_000
  private static let watchInterval: UInt64 = 20_000_000
  private static let idleInterval: UInt64 = 100_000_000
  /// Nanoseconds that a period may take until its events are there.
  private static let eventDelay: UInt64 = 1_000_000

  /// Whether the engine tells the parts of beats.
  var hearsSubdivisions: Bool {
    get { channels.pointee.tellsSubdivisions.load(ordering: .relaxed) }
    set { channels.pointee.tellsSubdivisions.store(newValue, ordering: .relaxed) }
  }

  /// When the next turn is due, unless a request comes before.
  /// - Parameter instant: the present instant, by the monotonic clock.
  func deadline(at instant: UInt64) -> UInt64 {
    let isAlone = now.settings.role == .free && playback?.start == nil
    let interval = isAlone ? ConductorCore.idleInterval : ConductorCore.watchInterval
    var time = min(instant + interval, nextEventTime(after: instant), saveTime)
    time = min(
      time, nextScheduled, nextWarningTime, surface.deadline,
      now.settings.followsPace ? pace.deadline : .max)
    return needsScore || scheduled.hasNew ? min(time, nextScoreTime, scheduled.lastMoment) : time
  }

  /// When the engine, which can't wake anybody, may have something to tell.
  private func nextEventTime(after instant: UInt64) -> UInt64 {
    let soon = instant + ConductorCore.busyInterval
    if isHurried || hasControls || scheduled.hasNear || handover.isUnderWay { return soon }
    guard now.isPlaying else { return .max }
    let next = channels.pointee.nextEvent.load(ordering: .relaxed)
    // Where none is in sight a start is on its way.
    guard next < .max, let time = host?.time(of: next), time > instant else { return soon }
    return time + ConductorCore.eventDelay
  }
}
