import Realtime
import Testing

@testable import OSC

@Suite struct TokenBucketTests {
  private let start = Instant.distantPast

  @Test func whoKeepsToItsShareNeverWaits() {
    var allowance = TokenBucket(capacity: 10, perSecond: 100, now: start)
    var waits: [Duration] = []
    for step in 0..<1_000 {
      let now = start + .milliseconds(10 * step)
      waits.append(allowance.charge(1, now: now))
    }
    #expect(waits.allSatisfy { $0 == .zero })
  }

  @Test func whoSendsMoreWaitsAtItsRate() {
    var allowance = TokenBucket(capacity: 10, perSecond: 100, now: start)
    var now = start
    for _ in 0..<1_000 {
      let wait = allowance.charge(1, now: now)
      now = now + wait
    }
    let passed = now - start
    #expect(passed >= .milliseconds(9_800) && passed <= .seconds(10))
  }

  @Test func aClockThatStandsStillOrGoesBackGivesNothing() {
    let later = start + .seconds(5)
    var allowance = TokenBucket(capacity: 1, perSecond: 1, now: later)
    let waits: [Duration] = [allowance.charge(1, now: start), allowance.charge(1, now: start)]
    #expect(waits == [.zero, .seconds(1)])
  }

  @Test func whatIsNotThereIsNotSpent() {
    let later = start + .seconds(1)
    var allowance = TokenBucket(capacity: 10, perSecond: 1, now: start)
    let spent = [
      allowance.spend(11, now: start), allowance.spend(10, now: start), allowance.spend(1, now: start),
      allowance.spend(1, now: later),
    ]
    #expect(spent == [false, true, false, true])
  }
}
