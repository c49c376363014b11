import Testing

@testable import Web

@Suite struct ThrottleTests {
  @Test func whoKeepsToItsShareNeverWaits() {
    var throttle = Throttle(capacity: 10, perSecond: 100, now: 0)
    for step in 0..<1_000 { #expect(throttle.take(1, now: UInt64(step) * 10_000_000) == 0) }
  }

  @Test func whoSendsMoreIsReadAtItsRate() {
    var throttle = Throttle(capacity: 10, perSecond: 100, now: 0)
    var now: UInt64 = 0
    for _ in 0..<1_000 { now += UInt64(throttle.take(1, now: now)) }
    #expect((9_800_000_000...10_000_000_000).contains(now))
  }

  @Test func aClockThatStandsStillOrGoesBackWaitsForNoAge() {
    var throttle = Throttle(capacity: 1, perSecond: 1, now: 5_000_000_000)
    #expect(throttle.take(1, now: 0) == 0)
    #expect(throttle.take(1, now: 0) == 1_000_000_000)
  }
}
