import MusicTime
import Validation

/// Tempo that follows a runner's pace.
extension ConductorCore {
  /// Takes a reading of the speed.
  /// - Parameters:
  ///   - speed: metres a second.
  ///   - time: when it was read, by `Monotonic`.
  func handle(speed: Double, at time: UInt64) throws(InvalidValue) {
    guard 0...Measure.fastest ~= speed else {
      throw InvalidValue("speed", plain(speed), allowed: "0…\(plain(Measure.fastest)) m/s")
    }
    pace.take(speed, at: time)
    now.pace.speed = pace.speed ?? 0
    now.pace.target = now.settings.cadence.cadence(at: now.pace.speed)
  }

  /// What has been read counts anew, as following was asked for.
  func restartPace() { pace.restart() }

  /// Takes a step, or a cadence that somebody else has counted.
  func handle(steps cadence: Double?, at seconds: Double) throws(InvalidValue) {
    if let cadence {
      guard 0...400 ~= cadence else {
        throw InvalidValue("steps", plain(cadence), allowed: "0…400 a minute")
      }
      now.pace.cadence = cadence
    } else {
      now.pace.cadence = steps.step(at: seconds) ?? 0
    }
  }

  /// Has the tempo follow the pace where it is asked to and the last change is not too near.
  func followPace() {
    guard now.settings.followsPace, playback == nil, let speed = pace.due(at: time) else { return }
    let tempo = Tempo(clamping: 1_000 * now.settings.cadence.cadence(at: speed))
    let wanted = bounded(now.settings.profile.clamped(tempo))
    // The next suggestion is compared with this one, not with what a finger did in between: that ends the following.
    guard wanted != now.settings.tempo else { return }
    now.settings.follow(wanted)
    publishTempo()
    needsScore = true
    pace.noteChange(at: time)
  }
}
