import Realtime
import TestNumbers
import Testing

@testable import Control

@Suite struct PaceFollowerTests {
  private static func second(_ count: Int) -> Instant { .distantPast + .seconds(count) }

  /// The readings of a phone in a run: one a second with noise, outliers, and gaps of a few seconds to half a minute.
  private func run() -> [(time: Double, speed: Double)] {
    var random = Generator(seed: 11)
    var readings: [(Double, Double)] = []
    var time = 100.0
    while time < 2_000 {
      let course = 3 + 0.8 * (time / 300).remainder(dividingBy: 1)
      var speed = course + Double.random(in: -0.3...0.3, using: &random)
      if Int.random(in: 0..<25, using: &random) == 0 { speed = Double.random(in: 0...12, using: &random) }
      readings.append((time, max(0, speed)))
      time += 1 + Double.random(in: -0.05...0.05, using: &random)
      if Int.random(in: 0..<40, using: &random) == 0 { time += Double.random(in: 2...30, using: &random) }
    }
    return readings
  }

  @Test func aNoisyRunGivesTheChangesThatTheRulesSay() {
    let readings = run()
    let model = CadenceModel()
    // The result of the rules, computed from the whole run for every tenth of a second.
    var expected: [Int] = []
    var (tempo, changed, seen) = (0, -10.0, 0)
    // The follower's result.
    var follower = PaceFollower()
    var heard: [Int] = []
    var (played, fed) = (0, 0)
    var changes: [Double] = []
    for tenth in 1_000..<20_100 {
      let now = Double(tenth) / 10
      let past = readings.filter { $0.time <= now && $0.time > now - 60 }
      if let last = past.last {
        let fresh = past.suffix(5).filter { $0.time >= last.time - 15 }
        let mean = fresh.map(\.speed).reduce(0, +) / Double(fresh.count)
        let count = readings.prefix { $0.time <= now }.count
        if count > seen, now - changed >= 3 - 1e-9 {
          seen = count
          if model.cadence(at: mean) != tempo {
            (tempo, changed) = (model.cadence(at: mean), now)
            expected.append(tempo)
          }
        }
      }
      while fed < readings.count, readings[fed].time <= now {
        follower.take(readings[fed].speed, at: Instant(nanoseconds: UInt64(readings[fed].time * 1e9)))
        fed += 1
      }
      let time = Instant.distantPast + .milliseconds(tenth * 100)
      if let speed = follower.due(at: time), model.cadence(at: speed) != played {
        played = model.cadence(at: speed)
        follower.noteChange(at: time)
        heard.append(played)
        changes.append(now)
      }
    }
    #expect(heard == expected)
    #expect(heard.count > 100)
    #expect(zip(changes.dropFirst(), changes).allSatisfy { $0 - $1 >= 3 - 1e-9 })
  }

  @Test func theMeanIsThatOfTheLastFive() {
    var follower = PaceFollower()
    #expect(follower.speed == nil)
    #expect(follower.deadline == .never)
    for speed in 1...7 { follower.take(Double(speed), at: PaceFollowerTests.second(speed)) }
    #expect(follower.speed == 5)
  }

  @Test func aGapForgetsWhatWasBefore() {
    var follower = PaceFollower()
    follower.take(2, at: PaceFollowerTests.second(10))
    follower.take(4, at: PaceFollowerTests.second(25))
    #expect(follower.speed == 3)
    follower.take(5, at: PaceFollowerTests.second(26))
    #expect(follower.speed == 4.5)
  }

  @Test func stepsGiveTheirCadence() throws {
    var counter = StepCounter()
    #expect(counter.step(at: 50) == nil)
    for index in 1..<30 {
      let heard = counter.step(at: 50 + Double(index) / 3)
      #expect(abs(try #require(heard) - 180) < 1e-6)
    }
    // A bouncing sensor, then a rest, then another pace.
    let bounced = counter.step(at: 50 + 29.0 / 3 + 0.05)
    #expect(abs(try #require(bounced) - 180) < 1e-6)
    #expect(counter.step(at: 70) == nil)
    #expect(counter.step(at: 70.4) == 60 / (70.4 - 70))
    #expect(counter.step(at: 60) == nil)
  }
}
