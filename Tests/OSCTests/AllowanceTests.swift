import Testing

@testable import OSC

@Suite struct AllowanceTests {
  @Test func whoKeepsToItsShareNeverWaits() {
    var allowance = Allowance(capacity: 10, perSecond: 100, now: 0)
    let waits = (0..<1_000).map { allowance.charge(1, now: UInt64($0) * 10_000_000) }
    #expect(waits.allSatisfy { $0 == 0 })
  }

  @Test func whoSendsMoreWaitsAtItsRate() {
    var allowance = Allowance(capacity: 10, perSecond: 100, now: 0)
    var now: UInt64 = 0
    for _ in 0..<1_000 { now += UInt64(allowance.charge(1, now: now)) }
    #expect((9_800_000_000...10_000_000_000).contains(now))
  }

  @Test func aClockThatStandsStillOrGoesBackGivesNothing() {
    var allowance = Allowance(capacity: 1, perSecond: 1, now: 5_000_000_000)
    let waits = [allowance.charge(1, now: 0), allowance.charge(1, now: 0)]
    #expect(waits == [0, 1_000_000_000])
  }

  @Test func whatIsNotThereIsNotSpent() {
    var allowance = Allowance(capacity: 10, perSecond: 1, now: 0)
    let spent = [
      allowance.spend(11, now: 0), allowance.spend(10, now: 0), allowance.spend(1, now: 0),
      allowance.spend(1, now: 1_000_000_000),
    ]
    #expect(spent == [false, true, false, true])
  }
}
