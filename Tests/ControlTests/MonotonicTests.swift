import Testing

@testable import Control

@Suite struct MonotonicTests {
  private static let second: Int64 = 1_000_000_000

  /// The wall clock of a machine that has run for 100 seconds, after so many more, and after a jump.
  private func reading(after seconds: Int64, jump: Int64 = 0) -> ClockReading {
    let wallClock = 1_800_000_000 + seconds + jump
    return ClockReading(
      monotonic: UInt64((100 + seconds) * MonotonicTests.second), wallClock: wallClock * MonotonicTests.second
    )
  }

  @Test(
    "The wall clock set forth and back moves nothing that is scheduled",
    arguments: [3_600, -3_600, 86_400 * 365, -1])
  func jump(seconds: Int64) throws {
    let before = reading(after: 0)
    var schedule = Schedule()
    let date = before.wallClock + 5 * MonotonicTests.second
    let refusal = schedule.insert(
      Request(.update(.start)), at: before.time(ofWallClock: date), now: before.monotonic)
    #expect(refusal == nil)

    let after = reading(after: 1, jump: seconds)
    #expect(schedule.take(dueBy: after.monotonic) == nil)
    #expect(schedule.nextTime == 105 * UInt64(MonotonicTests.second))

    // One whose clock is the same one asks for five seconds from now.
    let newDate = after.wallClock + 5 * MonotonicTests.second
    #expect(after.time(ofWallClock: newDate) == 106 * UInt64(MonotonicTests.second))
    // What is told of then bears the new date.
    #expect(after.wallClock(of: 106 * UInt64(MonotonicTests.second)) == newDate)
    #expect(schedule.take(dueBy: reading(after: 5).monotonic)?.requests.count == 1)
  }

  @Test func datesThatMakeNoSenseAreLongPastOrNever() {
    let now = reading(after: 0)
    #expect(now.time(ofWallClock: .min) == 0)
    #expect(now.time(ofWallClock: 0) == 0)
    #expect(now.time(ofWallClock: .max) > now.monotonic + Schedule.horizon)
    _ = now.wallClock(of: .max)
    #expect(now.wallClock(of: now.monotonic) == now.wallClock)
  }
}
