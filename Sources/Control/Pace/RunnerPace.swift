import MusicTime
import Realtime
import Validation

/// What is known of a runner's speed and steps.
struct RunnerPace {
  private var follower = PaceFollower()
  private var steps = StepCounter()
  private(set) var pace = Pace()

  /// When the tempo may follow the latest readings; `never` if it already does.
  var deadline: Instant { follower.deadline }

  /// Handles a reading of the speed.
  /// - Parameters:
  ///   - speed: metres per second, 0…12.
  ///   - time: when it was read.
  /// - Throws: `InvalidValue` for another speed.
  mutating func handle(speed: Double, at time: Instant, _ model: CadenceModel) throws(InvalidValue) {
    guard 0...Measure.fastest ~= speed else {
      throw InvalidValue("speed", plain(speed), allowed: "0…\(plain(Measure.fastest)) m/s")
    }
    follower.take(speed, at: time)
    pace.speed = follower.speed ?? 0
    pace.target = model.cadence(at: pace.speed)
  }

  /// Handles a step, or a cadence that somebody else has counted.
  /// - Parameters:
  ///   - cadence: steps per minute, 0…400; nil for a step.
  ///   - seconds: when, by the monotonic clock.
  /// - Throws: `InvalidValue` for another cadence.
  mutating func handle(steps cadence: Double?, at seconds: Double) throws(InvalidValue) {
    if let cadence {
      guard 0...400 ~= cadence else {
        throw InvalidValue("steps", plain(cadence), allowed: "0…400 a minute")
      }
      pace.cadence = cadence
    } else {
      pace.cadence = steps.step(at: seconds) ?? 0
    }
  }

  /// Treats the last readings as new, since the user has turned following on.
  mutating func restart() { follower.restart() }

  /// The cadence in steps per minute that the tempo should follow now; nil if there is nothing new, or the last change is too
  /// recent.
  mutating func due(at now: Instant, _ model: CadenceModel) -> Int? {
    follower.due(at: now).map { model.cadence(at: $0) }
  }

  /// Records a change of the tempo.
  mutating func noteChange(at now: Instant) { follower.noteChange(at: now) }
}

/// A runner's speed and cadence.
package struct Pace: Equatable, Sendable {
  /// The mean of the last readings in metres per second; 0 before the first.
  package var speed = 0.0
  /// Measured steps per minute; 0 if unknown.
  package var cadence = 0.0
  /// Steps per minute that the model suggests for the speed; 0 before the first reading.
  package var target = 0

  package init() {}
}
