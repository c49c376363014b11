import MusicTime
import Realtime
import Validation

/// A runner's speed and steps.
struct RunnerPace {
  private var follower = PaceFollower()
  private var steps = StepCounter()
  private(set) var pace = Pace()
  /// When the measured cadence expires; `never` if there is none.
  private var cadenceEnd = Instant.never

  /// When `update` must be called.
  var updateDeadline: Instant { min(follower.settlingDeadline, cadenceEnd) }

  /// When the tempo may follow the latest readings; `never` if it already does.
  var deadline: Instant { follower.deadline }

  /// Handles a reading of the speed.
  /// - Parameters:
  ///   - speed: metres per second, 0…12.
  ///   - time: the time of the reading.
  /// - Throws: `InvalidValue` for another speed.
  mutating func handle(speed: Double, at time: Instant, _ model: CadenceModel) throws(InvalidValue) {
    try RunnerPace.check(speed)
    follower.take(speed, at: time)
    suggest(model)
  }

  /// Handles a speed that is set by hand.
  /// - Parameters:
  ///   - speed: metres per second, 0…12.
  ///   - time: when it was set by hand.
  /// - Throws: `InvalidValue` for another speed.
  mutating func choose(speed: Double, at time: Instant) throws(InvalidValue) {
    try RunnerPace.check(speed)
    follower.choose(speed, at: time)
  }

  /// Uses a speed that has been set by hand, and drops a cadence without further steps.
  mutating func update(at now: Instant, _ model: CadenceModel) {
    if follower.settle(at: now) { suggest(model) }
    if cadenceEnd <= now { (pace.cadence, cadenceEnd) = (0, .never) }
  }

  private mutating func suggest(_ model: CadenceModel) {
    pace.speed = follower.speed ?? 0
    pace.target = model.cadence(at: pace.speed)
  }

  private static func check(_ speed: Double) throws(InvalidValue) {
    guard 0...Measure.fastest ~= speed else {
      throw InvalidValue("speed", plain(speed), allowed: "0…\(plain(Measure.fastest)) m/s")
    }
  }

  /// Handles a step, or a cadence that another program has measured.
  /// - Parameters:
  ///   - cadence: steps per minute, 0…400; nil for a step.
  ///   - time: the time of the step or the measurement.
  /// - Throws: `InvalidValue` for another cadence.
  mutating func handle(steps cadence: Double?, at time: Instant) throws(InvalidValue) {
    if let cadence {
      guard 0...400 ~= cadence else {
        throw InvalidValue("steps", plain(cadence), allowed: "0…400 a minute")
      }
      pace.cadence = cadence
      cadenceEnd = time + PaceFollower.memory
    } else {
      pace.cadence = steps.step(at: Double(time.nanoseconds) / 1e9) ?? 0
      cadenceEnd = time + StepCounter.timeout
    }
    if pace.cadence == 0 { cadenceEnd = .never }
  }

  /// Treats the last readings as new, because the user has switched following on.
  mutating func restart() { follower.restart() }

  /// The cadence in steps per minute that the tempo must follow now; nil if there is nothing new, or the last change is too
  /// recent.
  mutating func due(at now: Instant, _ model: CadenceModel) -> Int? {
    follower.due(at: now).map { model.cadence(at: $0) }
  }

  /// Records a change of the tempo.
  mutating func noteChange(at now: Instant) { follower.noteChange(at: now) }
}

/// A runner's speed and cadence.
package struct Pace: Equatable, Sendable {
  /// The speed that was set by hand, or the mean of the last readings, in metres per second; 0 before the first reading.
  package var speed = 0.0
  /// Measured steps per minute; 0 if unknown, or two seconds after the last step.
  package var cadence = 0.0
  /// Steps per minute that the model suggests for the speed; 0 before the first reading.
  package var target = 0

  package init() {}
}
