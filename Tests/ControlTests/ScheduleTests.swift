import ControlBench
import Realtime
import TestNumbers
import Testing

@testable import Control

@Suite struct ScheduleTests {
  @Test func `Requests are taken in the order of their times, then of their arrival`() {
    var random = Generator(seed: 3)
    var schedule = Schedule()
    var expected: [(time: Instant, step: Int)] = []
    for step in 0..<Schedule.capacity {
      let time = Instant(nanoseconds: .random(in: 1...50, using: &random))
      #expect(schedule.insert(nudge(step), at: time, now: 0) == nil)
      expected.append((time, step))
    }
    expected.sort { ($0.time, $0.step) < ($1.time, $1.step) }
    var taken: [(time: Instant, step: Int)] = []
    while let (time, requests) = schedule.take(dueBy: .never) { taken += requests.map { (time, step($0)) } }
    #expect(taken.map(\.time) == expected.map(\.time))
    #expect(taken.map(\.step) == expected.map(\.step))
  }

  @Test func equalTimesAreTakenTogetherAndLaterOnesStay() {
    var schedule = Schedule()
    for (index, time) in [30, 10, 20, 10].enumerated() {
      _ = schedule.insert(nudge(index), at: Instant(nanoseconds: UInt64(time)), now: 0)
    }
    #expect(schedule.nextTime == 10)
    #expect(schedule.take(dueBy: 9)?.time == nil)
    let first = schedule.take(dueBy: 10)
    #expect(first?.time == 10)
    #expect(first?.requests.map(step) == [1, 3])
    #expect(schedule.nextTime == 20)
    #expect(schedule.take(dueBy: 100)?.requests.map(step) == [2])
    #expect(schedule.take(dueBy: 100)?.requests.map(step) == [0])
    #expect(schedule.nextTime == .never)
  }

  @Test func `Each owner has its own places`() {
    var schedule = Schedule()
    for index in 0..<Schedule.share { #expect(schedule.insert(nudge(index, of: "a"), at: 5, now: 0) == nil) }
    #expect(schedule.insert(nudge(0, of: "a"), at: 1, now: 0)?.contains("64 messages of yours") == true)
    #expect(schedule.insert(nudge(0, of: "b"), at: 1, now: 0) == nil)
    _ = schedule.take(dueBy: 5)
    _ = schedule.take(dueBy: 5)
    #expect(schedule.insert(nudge(0, of: "a"), at: 5, now: 0) == nil)
  }

  @Test func `If all places are taken, the latest request is dropped`() {
    var schedule = Schedule()
    let reasons = Reasons()
    let hour = Instant.distantPast + .seconds(3_600)
    for index in 0..<Schedule.capacity {
      let owner = "\(index / Schedule.share)"
      let request = Request(
        .update(.stop), origin: .init(owner: owner, name: "stop"), refuse: { reasons.add($0) })
      #expect(schedule.insert(request, at: hour + .nanoseconds(index), now: 0) == nil)
    }
    #expect(
      schedule.insert(nudge(1, of: "late"), at: hour + .seconds(3_600), now: 0)?.contains("earlier times")
        == true)
    #expect(reasons.all.isEmpty)
    #expect(schedule.insert(nudge(1, of: "soon"), at: 7, now: 0) == nil)
    #expect(reasons.all.count == 1 && reasons.all.first?.contains("dropped") == true)
    #expect(schedule.entries.count == Schedule.capacity)
    #expect(schedule.entries.first == Scheduled(time: 7, origin: .init(owner: "soon", name: "nudge")))
    #expect(schedule.entries.last?.time == hour + .nanoseconds(Schedule.capacity - 2))
  }

  @Test func `An owner can clear its own requests, and everybody can clear all`() {
    var schedule = Schedule()
    for owner in ["a", "b", "a", nil] { _ = schedule.insert(nudge(0, of: owner), at: 5, now: 0) }
    schedule.clear(of: "a")
    #expect(schedule.entries.map(\.origin?.owner) == ["b", nil])
    schedule.clear()
    #expect(schedule.nextTime == .never)
  }

  @Test func `Scheduling far ahead causes one warning a minute`() {
    var schedule = Schedule()
    func second(_ count: Int) -> Instant { .distantPast + .seconds(count) }
    let (mine, other) = (nudge(0, of: "a"), nudge(0, of: "b"))
    #expect(schedule.warning(for: mine, at: second(10), now: 0) == nil)
    #expect(schedule.warning(for: mine, at: second(3_600), now: 0)?.contains("3600 s ahead") == true)
    #expect(schedule.warning(for: mine, at: second(3_600), now: second(59)) == nil)
    #expect(schedule.warning(for: other, at: second(3_600), now: second(59)) != nil)
    #expect(schedule.warning(for: mine, at: second(3_600), now: second(60)) != nil)
    #expect(schedule.warning(for: nudge(0), at: second(3_600), now: second(60)) == nil)
  }

  @Test func aDayAheadIsTheLimit() {
    var schedule = Schedule()
    #expect(schedule.insert(nudge(0), at: 7 + Schedule.horizon, now: 7) != nil)
    #expect(schedule.insert(nudge(0), at: .never, now: 7) != nil)
    #expect(schedule.insert(nudge(0), at: 6 + Schedule.horizon, now: 7) == nil)
  }

  private func nudge(_ step: Int, of owner: String? = nil) -> Request {
    Request(.update(.nudge(thousandths: step)), origin: owner.map { .init(owner: $0, name: "nudge") })
  }

  private func step(_ request: Request) -> Int {
    guard case .update(.nudge(let step)) = request.content else { return -1 }
    return step
  }
}
