import MusicTime
import TestNumbers
import Testing

@testable import TimeCheck

@Suite struct CoachTests {
  private static let rate = 48_000

  /// A coach with its clicks and hits: four beats a bar, half a second each.
  private struct Course {
    var coach: Coach
    var place: Coach.Place
    private(set) var advices: [Coach.Advice] = []
    private var beat = 0

    init(_ plan: Coach.Plan, steps: Int = 1) {
      place = Coach.Place(section: 0, step: 0, steps: steps)
      coach = Coach(plan, at: place, sampleRate: CoachTests.rate)
    }

    /// Plays a bar.
    /// - Parameter late: how late each beat's hit is, in milliseconds; nil for none.
    mutating func play(_ late: [Double?], isSilent: Bool = false) {
      for late in late {
        let onset = Onset(
          frame: ClockFrame(Int64(beat) * 24_000), bar: beat / 4 + 1, place: Place(beat: beat % 4 + 1),
          isSilent: isSilent)
        coach.note(onset)
        if let late {
          let hit = Hit(frame: ClockFrame(onset.frame.number + Int64(late * 48)), source: .notes, strength: 1)
          coach.note(
            .hit(
              JudgedHit(
                hit: hit, onset: onset, milliseconds: late, isFirst: true, isCorrection: false, number: beat))
          )
        } else {
          coach.note(.missed(onset))
        }
        if let advice = coach.settle(judged: onset.frame, policy: TimeChecker.Policy()) { follow(advice) }
        beat += 1
      }
    }

    /// Tells the coach of the tempo of the silent bars that are over, in per cent from the click's.
    mutating func report(_ faster: Double) {
      var report = SilentBarsReport(
        section: "", bars: 2, beats: 8, begin: ClockFrame(Int64(beat - 8) * 24_000))
      report.faster = Estimate(faster, margin: 0.1)
      coach.note(report)
    }

    /// The advice takes effect with the next beat.
    private mutating func follow(_ advice: Coach.Advice) {
      advices.append(advice)
      guard case .step(let step) = advice.move else { return }
      place.step = step
      coach.go(to: place)
    }

    mutating func play(bars: Int, _ late: () -> Double?) {
      for _ in 0..<bars { play((0..<4).map { _ in late() }) }
    }

    var moves: [Coach.Move] { advices.map(\.move) }
  }

  private static func even(_ size: Double) -> () -> Double? {
    var sign = 1.0
    return {
      sign = -sign
      return sign * size
    }
  }

  @Test func `A step that is mastered is followed by the next, up to the last`() {
    var course = Course(Coach.Plan(goal: TimingGoal(bars: 4, spread: 12), up: 2), steps: 4)
    course.play(bars: 30, CoachTests.even(10))
    #expect(course.moves.first == .step(2))
    #expect(course.moves.dropFirst().first == .step(3))
    #expect(course.moves.dropFirst(2).allSatisfy { $0 == .done })
    #expect(course.advices.allSatisfy { $0.shortfall.isEmpty && $0.trial.hits == 16 })
  }

  @Test func `A section that stays at its last tempo is not over there`() {
    var course = Course(
      Coach.Plan(goal: TimingGoal(bars: 4, spread: 12), isOverAtTop: false), steps: 1)
    course.play(bars: 13, CoachTests.even(10))
    #expect(course.moves == [.again(0), .again(0), .again(0)])
  }

  @Test func `After as many failures as were allowed it goes back, never below the first`() {
    let plan = Coach.Plan(goal: TimingGoal(bars: 4, spread: 8), patience: 3, down: 2)
    var course = Course(plan, steps: 5)
    course.play(bars: 5, CoachTests.even(5))
    #expect(course.moves == [.step(1)])
    course.play(bars: 30, CoachTests.even(20))
    #expect(course.moves.dropFirst().prefix(3) == [.again(1), .again(2), .step(0)])
    #expect(course.moves.dropFirst(4).allSatisfy { if case .again = $0 { true } else { false } })
    #expect(course.advices.last?.shortfall.first?.hasPrefix("spread 20") == true)
  }

  @Test func `Missed clicks and the mean count where they are asked for`() {
    var course = Course(Coach.Plan(goal: TimingGoal(bars: 4, mean: 5, missed: 10)))
    course.play(bars: 5) { 4 }
    #expect(course.moves == [.done])
    course = Course(Coach.Plan(goal: TimingGoal(bars: 4, mean: 5, missed: 10)))
    for _ in 0..<5 { course.play([4, 4, nil, 4]) }
    #expect(course.advices.first?.shortfall == ["missed 25 % (at most 10)"])
    course = Course(Coach.Plan(goal: TimingGoal(bars: 4, mean: 5)))
    course.play(bars: 5) { -9 }
    #expect(course.advices.first?.shortfall == ["mean 9 ms off (at most 5)"])
  }

  @Test func `A resting player is not judged`() {
    var course = Course(Coach.Plan(goal: TimingGoal(bars: 2, missed: 50)))
    course.play(bars: 9) { nil }
    #expect(course.moves.isEmpty)
  }

  @Test func `Few hits are not enough for a spread`() {
    var course = Course(Coach.Plan(goal: TimingGoal(bars: 1, spread: 50)))
    course.play(bars: 3) { 0 }
    #expect(course.advices.first?.shortfall == ["too few hits for the spread"])
  }

  @Test func `A bar that was cut short by a stop does not count`() {
    var course = Course(Coach.Plan(goal: TimingGoal(bars: 2, missed: 50)))
    course.play([0, 0])
    course.coach.begin()
    // It goes on in the middle of the bar.
    course.play([0, 0])
    course.play(bars: 1) { 0 }
    #expect(course.moves.isEmpty)
    course.play(bars: 2) { 0 }
    #expect(course.moves == [.done])
    #expect(course.advices.first?.trial.hits == 8)
  }

  @Test func `Silent beats count where they are asked for, and the tempo without the click`() {
    func course(_ goal: TimingGoal, late: Double, faster: Double?) -> Course {
      var course = Course(Coach.Plan(goal: goal))
      for bar in 0..<9 {
        // Two bars sound, two do not.
        let isSilent = bar % 4 >= 2
        course.play([late, late, late, late], isSilent: isSilent)
        if bar % 4 == 3, let faster { course.report(faster) }
      }
      return course
    }
    #expect(course(TimingGoal(bars: 4, silent: 80), late: 15, faster: nil).moves.first == .done)
    let off = course(TimingGoal(bars: 4, silent: 80), late: 25, faster: nil)
    #expect(off.advices.first?.shortfall == ["0 % of the silent beats in the window (at least 80)"])
    #expect(course(TimingGoal(bars: 4, tempo: 2), late: 0, faster: -1.5).moves.first == .done)
    let slow = course(TimingGoal(bars: 4, tempo: 2), late: 0, faster: -3)
    #expect(slow.advices.first?.shortfall == ["tempo 3 % off (at most 2)"])
    let few = course(TimingGoal(bars: 4, tempo: 2), late: 0, faster: nil)
    #expect(few.advices.first?.shortfall == ["too few hits for the tempo"])
  }

  /// Simulates a drummer, whose spread depends on the step, for a number of trials; returns the step after each.
  private static func climb(
    _ trials: Int, _ generator: inout Generator, spread: (_ step: Int) -> Double
  ) -> [Int] {
    let plan = Coach.Plan(goal: TimingGoal(bars: 8, spread: 12, missed: 2), patience: 3)
    var course = Course(plan, steps: 20)
    var steps: [Int] = []
    while steps.count < trials {
      let drummer = SimulatedDrummer(spread: spread(course.place.step))
      course.play(drummer.take(4, interval: 0.5, &generator).map(\.milliseconds))
      if course.advices.count > steps.count { steps.append(course.place.step) }
    }
    return steps
  }

  @Test(arguments: [0, 1, 4, 9, 15], 1...8 as ClosedRange<UInt64>)
  func `The coach brings a drummer to within a step of his limit, and keeps him there`(
    limit: Int, seed: UInt64
  ) {
    var generator = Generator(seed: seed)
    // Up to his limit he plays well, and beyond it he does not.
    let steps = CoachTests.climb(limit + 100, &generator) { $0 <= limit ? 7 : 21 }
    #expect(steps.prefix(limit).elementsEqual((0..<limit).map { $0 + 1 }), "\(steps)")
    #expect(steps.dropFirst(limit).allSatisfy { limit...limit + 1 ~= $0 }, "\(steps)")
  }

  @Test func `A drummer whose spread grows by less than eight bars can tell stays near his limit`() {
    var generator = Generator(seed: 7)
    var (sum, within, all) = (0, 0, 0)
    for _ in 0..<1_000 {
      // 12 ms are reached up to step 6; a spread of 32 hits is known to 13 %, which is more than a step.
      let last = CoachTests.climb(60, &generator) { 6 + Double($0) }.suffix(40)
      sum += last.reduce(0, +)
      within += last.count { 5...9 ~= $0 }
      all += last.count
    }
    let mean = Double(sum) / Double(all)
    #expect(6...8 ~= mean, "\(mean)")
    #expect(Double(within) >= 0.95 * Double(all), "\(within) of \(all)")
  }
}
