import Control
import MusicTime
import Sessions
import Testing
import TimeCheck

@Suite struct CoachDocumentTests {
  private static let climb =
    "{name: Climb, tempo: {from: 80, to: 92}, advance: {when: {spread: 12 ms, missed: 2 %, bars: 4}, by: 4, else: {after: 3, by: -2}}}"

  private func plan(_ section: String, head: String = "") throws -> SongPlan {
    try song("\(head)\nsections: [\(section)]").plan()
  }

  @Test func `An advance has a step for each tempo that may be played`() throws {
    let plan = try plan(CoachDocumentTests.climb)
    let tempos = plan.plans.map { if case .constant(let tempo) = $0.tempo { tempo.thousandths } else { 0 } }
    #expect(tempos == [80_000, 82_000, 84_000, 86_000, 88_000, 90_000, 92_000])
    #expect(plan.plans.allSatisfy { $0.isOpen && $0.source == 0 })
    let goal = TimingGoal(bars: 4, spread: 12, missed: 2)
    #expect(plan.coaches == [0: Coach.Plan(goal: goal, up: 2, patience: 3, down: 1, isOverAtTop: true)])
  }

  @Test func `With until next it stays at the last tempo`() throws {
    let plan = try plan("{until: next, tempo: {from: 140, to: 80}, advance: {when: {mean: 5}, by: 20}}")
    #expect(plan.plans.count == 4)
    let goal = TimingGoal(bars: 8, mean: 5)
    #expect(plan.coaches[0] == Coach.Plan(goal: goal, isOverAtTop: false))
  }

  @Test func `Until with a goal is an open section that is coached`() throws {
    let plan = try plan("{bars: 2}, {tempo: 96, until: {spread: 10 ms, bars: 16}}")
    #expect(plan.plans.count == 2 && plan.plans[1].isOpen)
    #expect(plan.coaches == [1: Coach.Plan(goal: TimingGoal(bars: 16, spread: 10))])
  }

  @Test func `Goals of silent bars are read`() throws {
    let plan = try plan("{gap: {play: 2, rest: 2}, until: {silent: 80 %, tempo: 2, bars: 8}}")
    #expect(plan.coaches == [0: Coach.Plan(goal: TimingGoal(bars: 8, silent: 80, tempo: 2))])
  }

  @Test func `Repeats and cycles are coached too`() throws {
    let section = "{repeat: 2, sections: [{bars: 1}, \(CoachDocumentTests.climb)]}"
    let plan = try plan(section, head: "cycles: 2\ncount-in: 1")
    #expect(plan.coaches.keys.sorted() == [1, 3, 5, 7])
    let coached = Set(plan.plans.filter { $0.isOpen && !$0.isCountIn }.map(\.source))
    #expect(coached == [1, 3, 5, 7])
  }

  @Test func `What is written is read again`() throws {
    let text = """
      sections:
        - \(CoachDocumentTests.climb)
        - {until: next, tempo: {from: 140, to: 80.5}, advance: {when: {mean: 5.5}, by: 0.25}}
        - {until: {missed: 0, spread: 10 ms, bars: 16}}
        - {gap: {play: 2, rest: 2}, until: {silent: 80 %, tempo: 1.5 %, bars: 8}}
      """
    let session = try song(text)
    #expect(try song(session.yaml) == session)
  }

  @Test(
    "What makes no sense gets one sentence",
    arguments: [
      ("{bars: 4, tempo: {from: 80, to: 90}, advance: {when: {spread: 9}, by: 4}}", "without one"),
      ("{tempo: 80, advance: {when: {spread: 9}, by: 4}}", "as {from: 80, to: 140}"),
      ("{tempo: {from: 80, to: 90}, advance: {when: {}, by: 4}}", "at least one of spread"),
      ("{tempo: {from: 80, to: 90}, advance: {by: 4}}", "the goal"),
      ("{tempo: {from: 80, to: 90}, advance: {when: {spread: 9}}}", "the step in beats a minute"),
      ("{tempo: {from: 80, to: 90}, advance: {when: {spread: 0}, by: 4}}", "0.1…100 ms"),
      ("{tempo: {from: 80, to: 90}, advance: {when: {missed: 101 %}, by: 4}}", "0…100 %"),
      ("{tempo: {from: 80, to: 90}, advance: {when: {spread: 9}, by: 0}}", "0.001…998.999"),
      (
        "{tempo: {from: 80, to: 90}, drop-out: {what: accents, every: 2}, advance: {when: {spread: 9}, by: 4}}",
        "one of them"
      ),
      ("{tempo: {from: 1, to: 999}, advance: {when: {spread: 9}, by: 0.001}}", "at most"),
      ("{until: {bars: 4}}", "at least one of spread"),
      ("{until: {spread: fast}}", "0.1…100 ms"),
      ("{until: {spread: 5, speed: 3}}", "must be spread, perhaps"),
      ("{until: {silent: 80 %}}", "with a gap, as gap: {play: 2, rest: 2}"),
      ("{tempo: {from: 80, to: 90}, advance: {when: {tempo: 2 %}, by: 4}}", "with a gap"),
      ("{gap: {play: 2, rest: 2}, until: {silent: 101 %}}", "0…100 %"),
      ("{gap: {play: 2, rest: 2}, until: {tempo: 0 %}}", "0.1…20 %"),
    ])
  func faults(section: String, sentence: String) throws {
    let found = reported("sections: [\(section)]").map(\.description)
    #expect(found.count == 1 && found.first?.contains(sentence) == true, "\(found)")
  }
}
