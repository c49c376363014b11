import TestNumbers
import Testing

@testable import Control

@Suite struct ScheduleTests {
  @Test func requestsAreTakenInTheOrderOfTheirTimesThenOfTheirComing() {
    var random = Generator(seed: 3)
    var schedule = Schedule()
    var expected: [(time: UInt64, step: Int)] = []
    for step in 0..<Schedule.capacity {
      let time = UInt64.random(in: 1...50, using: &random)
      #expect(schedule.insert(nudge(step), at: time, now: 0) == nil)
      expected.append((time, step))
    }
    expected.sort { ($0.time, $0.step) < ($1.time, $1.step) }
    var taken: [(time: UInt64, step: Int)] = []
    while let (time, requests) = schedule.take(dueBy: .max) { taken += requests.map { (time, step($0)) } }
    #expect(taken.map(\.time) == expected.map(\.time))
    #expect(taken.map(\.step) == expected.map(\.step))
  }

  @Test func equalTimesAreTakenTogetherAndLaterOnesStay() {
    var schedule = Schedule()
    for (index, time) in [30, 10, 20, 10].enumerated() {
      _ = schedule.insert(nudge(index), at: UInt64(time), now: 0)
    }
    #expect(schedule.nextTime == 10)
    #expect(schedule.take(dueBy: 9)?.time == nil)
    let first = schedule.take(dueBy: 10)
    #expect(first?.time == 10)
    #expect(first?.requests.map(step) == [1, 3])
    #expect(schedule.nextTime == 20)
    #expect(schedule.take(dueBy: 100)?.requests.map(step) == [2])
    #expect(schedule.take(dueBy: 100)?.requests.map(step) == [0])
    #expect(schedule.nextTime == .max)
  }

  @Test func moreThanItsCapacityIsRefusedWithTheReason() {
    var schedule = Schedule()
    for index in 0..<Schedule.capacity { _ = schedule.insert(nudge(index), at: 5, now: 0) }
    #expect(schedule.insert(nudge(0), at: 1, now: 0)?.contains("256 messages") == true)
    _ = schedule.take(dueBy: 5)
    #expect(schedule.insert(nudge(0), at: 5, now: 0) == nil)
  }

  @Test func aDayAheadIsTheLimit() {
    var schedule = Schedule()
    #expect(schedule.insert(nudge(0), at: 7 + Schedule.horizon, now: 7) != nil)
    #expect(schedule.insert(nudge(0), at: .max, now: 7) != nil)
    #expect(schedule.insert(nudge(0), at: 6 + Schedule.horizon, now: 7) == nil)
  }

  private func nudge(_ step: Int) -> Request { Request(.update(.nudge(thousandths: step))) }

  private func step(_ request: Request) -> Int {
    guard case .update(.nudge(let step)) = request.content else { return -1 }
    return step
  }
}
