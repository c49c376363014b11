/// Averages a runner's speed, and decides when the tempo may follow it.
struct PaceFollower {
  /// The number of readings in the mean.
  static let readings = 5
  /// The shortest interval between two changes of the tempo, in nanoseconds.
  static let changeInterval: UInt64 = 3_000_000_000
  /// Nanoseconds after which a reading expires: readings before and after a tunnel are not mixed.
  static let memory: UInt64 = 15_000_000_000

  private var speeds: [(speed: Double, time: UInt64)] = []
  private var isNew = false
  private var nextChange: UInt64 = 0

  /// Handles a reading.
  /// - Parameters:
  ///   - speed: metres per second.
  ///   - time: the time of the reading, in nanoseconds.
  mutating func take(_ speed: Double, at time: UInt64) {
    speeds.removeAll { $0.time + PaceFollower.memory < time }
    speeds.append((speed, time))
    if speeds.count > PaceFollower.readings { speeds.removeFirst() }
    isNew = true
  }

  /// The mean of the last readings in metres per second; nil without readings.
  var speed: Double? {
    speeds.isEmpty ? nil : speeds.reduce(0) { $0 + $1.speed } / Double(speeds.count)
  }

  /// When the tempo may follow the latest readings; `.max` if it already does.
  var deadline: UInt64 { isNew ? nextChange : .max }

  /// The speed that the tempo should follow now; nil if there is nothing new, or the last change is too recent.
  mutating func due(at now: UInt64) -> Double? {
    guard deadline <= now else { return nil }
    isNew = false
    return speed
  }

  /// Records a change of the tempo.
  mutating func noteChange(at now: UInt64) { nextChange = now + PaceFollower.changeInterval }

  /// Treats the last readings as new, since the user has turned following on.
  mutating func restart() { (isNew, nextChange) = (!speeds.isEmpty, 0) }
}
