import Realtime

/// Averages a runner's speed, and decides when the tempo may follow it.
struct PaceFollower {
  /// The number of readings in the mean.
  static let readings = 5
  /// The shortest interval between two changes of the tempo.
  static let changeInterval = Duration.seconds(3)
  /// The time after which a reading expires: readings before and after a tunnel are not mixed.
  static let memory = Duration.seconds(15)
  /// How long a speed that is set by hand stands until it counts: a finger on a fader passes many.
  static let settling = Duration.milliseconds(300)

  private var speeds: [(speed: Double, time: Instant)] = []
  /// The speed that was set by hand, which no readings have replaced.
  private var chosen: Double?
  /// A speed that is being set by hand, and when it counts.
  private var settling: (speed: Double, time: Instant)?
  private var isNew = false
  private var nextChange = Instant.distantPast

  /// Handles a reading.
  /// - Parameters:
  ///   - speed: metres per second.
  ///   - time: when it was read.
  mutating func take(_ speed: Double, at time: Instant) {
    speeds.removeAll { $0.time + PaceFollower.memory < time }
    speeds.append((speed, time))
    if speeds.count > PaceFollower.readings { speeds.removeFirst() }
    chosen = nil
    isNew = true
  }

  /// Handles a speed that is set by hand. It counts as it is when it has stood for `settling`, in place of all readings.
  mutating func choose(_ speed: Double, at time: Instant) {
    settling = (speed, time + PaceFollower.settling)
  }

  /// When `settle` must be called; `never` if no speed is being set by hand.
  var settlingDeadline: Instant { settling?.time ?? .never }

  /// Takes the speed that was set by hand if it has stood long enough. The tempo may follow it at once.
  /// - Returns: whether it was taken.
  mutating func settle(at now: Instant) -> Bool {
    guard let settled = settling, settled.time <= now else { return false }
    (settling, chosen, speeds) = (nil, settled.speed, [])
    (isNew, nextChange) = (true, .distantPast)
    return true
  }

  /// The speed that was set by hand, or else the mean of the last readings, in metres per second; nil without either.
  var speed: Double? {
    chosen ?? (speeds.isEmpty ? nil : speeds.reduce(0) { $0 + $1.speed } / Double(speeds.count))
  }

  /// When the tempo may follow the latest readings; `never` if it already does.
  var deadline: Instant { isNew ? nextChange : .never }

  /// The speed that the tempo should follow now; nil if there is nothing new, or the last change is too recent.
  mutating func due(at now: Instant) -> Double? {
    guard deadline <= now else { return nil }
    isNew = false
    return speed
  }

  /// Records a change of the tempo.
  mutating func noteChange(at now: Instant) { nextChange = now + PaceFollower.changeInterval }

  /// Treats the last readings as new, since the user has turned following on.
  mutating func restart() { (isNew, nextChange) = (speed != nil, .distantPast) }
}
