import Engine
import Synchronization

/// When the conductor wakes.
extension ConductorState {
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

  /// When there is something to do, or to look for.
  var nextTime: UInt64 {
    let isAlone = now.settings.role == .free && shelf?.start == nil
    let interval = isAlone ? ConductorState.idleInterval : ConductorState.watchInterval
    var time = min(Monotonic.now + interval, nextEventTime, saveTime)
    time = min(time, nextAppointment, surface.deadline, now.settings.followsPace ? pace.deadline : .max)
    return needsScore || hasNewDates ? min(time, nextScoreTime, lastMoment) : time
  }

  /// When the engine, which can't wake anybody, may have something to tell.
  private var nextEventTime: UInt64 {
    let soon = Monotonic.now + ConductorState.busyInterval
    if isHurried || hasControls || !appointments.isEmpty || handover.isUnderWay { return soon }
    guard now.isPlaying else { return .max }
    let next = channels.pointee.nextEvent.load(ordering: .relaxed)
    // Where none is in sight a start is on its way.
    guard next < .max, let time = host?.time(of: next), time > Monotonic.now else { return soon }
    return time + ConductorState.eventDelay
  }
}
