import Testing

@testable import Control
@testable import Realtime

@Suite struct ClockReadingTests {
  private static let second: Int64 = 1_000_000_000

  /// The clocks of a machine that has run for 100 seconds plus `seconds`, after a jump of the wall clock.
  private func reading(after seconds: Int64, jump: Int64 = 0) -> ClockReading {
    let wallClock = 1_800_000_000 + seconds + jump
    return ClockReading(
      monotonic: .distantPast + .seconds(100 + seconds), wallClock: wallClock * ClockReadingTests.second
    )
  }

  @Test(
    "Setting the wall clock forward or back moves no scheduled change",
    arguments: [3_600, -3_600, 86_400 * 365, -1])
  func jump(seconds: Int64) throws {
    let before = reading(after: 0)
    var schedule = Schedule()
    let date = before.wallClock + 5 * ClockReadingTests.second
    let refusal = schedule.insert(
      Request(.update(.start)), at: before.instant(ofWallClock: date), now: before.monotonic)
    #expect(refusal == nil)

    let after = reading(after: 1, jump: seconds)
    #expect(schedule.take(dueBy: after.monotonic) == nil)
    #expect(schedule.nextTime == .distantPast + .seconds(105))

    // A sender with the same clock schedules five seconds from now.
    let newDate = after.wallClock + 5 * ClockReadingTests.second
    #expect(after.instant(ofWallClock: newDate) == .distantPast + .seconds(106))
    // Reports for that moment have the new date.
    #expect(after.wallClock(of: .distantPast + .seconds(106)) == newDate)
    #expect(schedule.take(dueBy: reading(after: 5).monotonic)?.requests.count == 1)
  }

  @Test func `Dates out of range are in the distant past or never`() {
    let now = reading(after: 0)
    #expect(now.instant(ofWallClock: .min) == .distantPast)
    #expect(now.instant(ofWallClock: 0) == .distantPast)
    #expect(now.instant(ofWallClock: .max) > now.monotonic + Schedule.horizon)
    _ = now.wallClock(of: .never)
    #expect(now.wallClock(of: now.monotonic) == now.wallClock)
  }
}
