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
  func `The remaining bars of a rest are the silent ones before the next sounding bar`(plan: SilencePlan) {
    let silence = Silence(plan)
    for bar in 1...500 {
      var silent = 0
      while silence.isSilent(bar: bar + silent) { silent += 1 }
      #expect(silence.left(at: bar, last: .max) == (silent == 0 ? .none : .bars(silent)), "bar \(bar)")
    }
  }

  @Test func `A rest ends with its section, unless it continues through sections`() {
    #expect(Silence(.gap(play: 1, rest: 4, growth: 0)).left(at: 3, last: 4) == .bars(2))
    #expect(Silence(.running(play: 1, rest: 4, after: 0)).left(at: 3, last: 4) == .bars(3))
  }

  @Test(arguments: [SilencePlan.never, .always, .random(percent: 100, rise: 0, seed: 1)])
  func `Silence without a rhythm has no rest to count`(plan: SilencePlan) {
    let silence = plan == .never ? BarSilence.none : .unknown
    #expect((1...100).allSatisfy { Silence(plan).left(at: $0, last: 100) == silence })
  }
}
