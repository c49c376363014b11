/// What a runner's speed and steps say: the mean of the last readings, and when the tempo may follow it.
struct PaceFollower {
  /// Readings that count.
  static let readings = 5
  /// Nanoseconds from one change of the tempo to the next, at the least.
  static let changeInterval: UInt64 = 3_000_000_000
  /// Nanoseconds after which a reading says nothing any more: what came before a tunnel is not mixed with what comes after.
  static let memory: UInt64 = 15_000_000_000

  private var speeds: [(speed: Double, time: UInt64)] = []
  private var isNew = false
  private var nextChange: UInt64 = 0

  /// Takes a reading.
  /// - Parameters:
  ///   - speed: metres a second.
  ///   - time: when it was read, in nanoseconds.
  mutating func take(_ speed: Double, at time: UInt64) {
    speeds.removeAll { $0.time + PaceFollower.memory < time }
    speeds.append((speed, time))
    if speeds.count > PaceFollower.readings { speeds.removeFirst() }
    isNew = true
  }

  /// The mean of the last readings, in metres a second; nil where there are none.
  var speed: Double? {
    speeds.isEmpty ? nil : speeds.reduce(0) { $0 + $1.speed } / Double(speeds.count)
  }

  /// When the tempo may follow what it does not follow yet; `.max` where nothing is new.
  var deadline: UInt64 { isNew ? nextChange : .max }

  /// The speed that the tempo is to follow now; nil where nothing is new, or the last change is too near.
  mutating func due(at now: UInt64) -> Double? {
    guard deadline <= now else { return nil }
    isNew = false
    return speed
  }

  /// The tempo has been changed.
  mutating func noteChange(at now: UInt64) { nextChange = now + PaceFollower.changeInterval }

  /// What has been read counts anew, as somebody asks for it.
  mutating func restart() { (isNew, nextChange) = (!speeds.isEmpty, 0) }
}
