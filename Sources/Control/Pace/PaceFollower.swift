import Realtime

/// Averages a runner's speed, and decides when the tempo may follow it.
struct PaceFollower {
  /// The number of readings in the mean.
  static let readings = 5
  /// The shortest interval between two changes of the tempo.
  static let changeInterval = Duration.seconds(3)
  /// The time after which a reading expires: readings before and after a tunnel are not mixed.
  static let memory = Duration.seconds(15)

  private var speeds: [(speed: Double, time: Instant)] = []
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
    isNew = true
  }

  /// The mean of the last readings in metres per second; nil without readings.
  var speed: Double? {
    speeds.isEmpty ? nil : speeds.reduce(0) { $0 + $1.speed } / Double(speeds.count)
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
  mutating func restart() { (isNew, nextChange) = (!speeds.isEmpty, .distantPast) }
}
