import MusicTime
import Testing

@testable import Engine

@Suite struct SilenceTests {
  static let plans: [SilencePlan] = [
    SilencePlan(.off), .gap(play: 2, rest: 3, growth: 0), .gap(play: 1, rest: 1, growth: 2),
    .gap(play: 4, rest: 1, growth: 0), .running(play: 2, rest: 2, after: 3),
    .running(play: 1, rest: 5, after: 100),
  ]

  @Test(arguments: plans)
  func `The bars of a rest that are left are the silent ones up to the next that sounds`(plan: SilencePlan) {
    let silence = Silence(plan)
    for bar in 1...500 {
      var silent = 0
      while silence.isSilent(bar: bar + silent) { silent += 1 }
      #expect((plan.restLeft(at: bar) ?? 0) == silent, "bar \(bar)")
    }
  }

  @Test(arguments: [SilencePlan.never, .always, .random(percent: 50, rise: 0, seed: 1)])
  func `Silence without a rhythm has no rest to count`(plan: SilencePlan) {
    #expect((1...100).allSatisfy { plan.restLeft(at: $0) == nil })
  }
}
