import Realtime

/// Averages a runner's speed, and decides when the tempo may follow it.
struct PaceFollower {
  /// The number of readings in the mean.
  static let readings = 5
  /// The shortest interval between two changes of the tempo.
  static let changeInterval = Duration.seconds(3)
  /// The time after which a reading expires, so that readings before and after a tunnel are not mixed.
  static let memory = Duration.seconds(15)
  /// How long a speed that is set by hand must stay unchanged before it counts, because a finger on a fader passes many values.
  static let settling = Duration.milliseconds(300)

  private var speeds: [(speed: Double, time: Instant)] = []
  /// The speed that was set by hand; nil if there is none, or readings have replaced it.
  private var chosen: Double?
  /// A speed that is being set by hand, and the time from which it counts.
  private var settling: (speed: Double, time: Instant)?
  private var isNew = false
  private var nextChange = Instant.distantPast

  /// Handles a reading.
  /// - Parameters:
  ///   - speed: metres per second.
  ///   - time: the time of the reading.
  mutating func take(_ speed: Double, at time: Instant) {
    speeds.removeAll { $0.time + PaceFollower.memory < time }
    speeds.append((speed, time))
    if speeds.count > PaceFollower.readings { speeds.removeFirst() }
    chosen = nil
    isNew = true
  }

  /// Handles a speed that is set by hand. After `settling` without a change it replaces all readings.
  mutating func choose(_ speed: Double, at time: Instant) {
    settling = (speed, time + PaceFollower.settling)
  }

  /// When `settle` must be called; `never` if no speed is being set by hand.
  var settlingDeadline: Instant { settling?.time ?? .never }

  /// Uses the speed that was set by hand if it has been unchanged for long enough. The tempo may follow it at once.
  /// - Returns: whether it is used now.
  mutating func settle(at now: Instant) -> Bool {
    guard let settled = settling, settled.time <= now else { return false }
    (settling, chosen, speeds) = (nil, settled.speed, [])
    (isNew, nextChange) = (true, .distantPast)
    return true
  }

  /// The speed that was set by hand, otherwise the mean of the last readings, in metres per second; nil if there is neither.
  var speed: Double? {
    chosen ?? (speeds.isEmpty ? nil : speeds.reduce(0) { $0 + $1.speed } / Double(speeds.count))
  }

  /// When the tempo may follow the latest readings; `never` if it already does.
  var deadline: Instant { isNew ? nextChange : .never }

  /// The speed that the tempo must follow now; nil if there is nothing new, or the last change is too recent.
  mutating func due(at now: Instant) -> Double? {
    guard deadline <= now else { return nil }
    isNew = false
    return speed
  }

  /// Records a change of the tempo.
  mutating func noteChange(at now: Instant) { nextChange = now + PaceFollower.changeInterval }

  /// Treats the last readings as new, because the user has switched following on.
  mutating func restart() { (isNew, nextChange) = (speed != nil, .distantPast) }
}
