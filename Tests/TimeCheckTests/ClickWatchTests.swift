import TestNumbers
import Testing

@testable import TimeCheck

/// A microphone that is not calibrated, with the click in it.
@Suite struct ClickWatchTests {
  private struct Played {
    var checker: TimeChecker
    var report: TakeReport?
    var warnings: [String] = []
    var advice: [Coach.Advice] = []
  }

  /// Plays beats each half second in a coached section.
  /// - Parameters:
  ///   - click: how late the click is heard, in milliseconds; nil if it is not.
  ///   - late: how late each stroke is; nil for none.
  private func play(
    click: Double?, _ late: [Double?], heedsBleed: Bool = true, mode: ListeningSetup.Mode = .mic
  ) -> Played {
    let setup = ListeningSetup(inputs: [.init(name: "", mode: mode)], hasNotes: false)
    var played = Played(checker: TimeChecker(setup, sampleRate: 48_000))
    var policy = TimeChecker.Policy()
    policy.heedsBleed = heedsBleed
    played.checker.setPolicy(policy)
    played.checker.setCalibrations([:])
    var generator = Generator(seed: 3)
    played.checker.coach(
      Coach.Plan(goal: TimingGoal(bars: 4, spread: 12)), at: Coach.Place(section: 0, step: 0, steps: 9))
    for (beat, late) in late.enumerated() {
      let frame = 48_000 + 24_000 * Int64(beat)
      played.checker.note(
        Onset(frame: frame, bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4)), isBeat: true, length: 24_000
      )
      var frames: [Int64] = []
      if let click { frames.append(frame + Int64(click * 48) + Int64.random(in: -5...5, using: &generator)) }
      if let late { frames.append(frame + Int64(late * 48)) }
      played.checker.hear(frames.sorted().map { Hit(frame: $0, source: .input(0), strength: 0.3) })
      for case .take(let report) in played.checker.settle(known: frame + 20_000) { played.report = report }
      played.warnings += played.checker.takeWarnings()
      if let advice = played.checker.takeAdvice() { played.advice.append(advice) }
    }
    for case .take(let report) in played.checker.finish() { played.report = report }
    return played
  }

  private func drummer(_ count: Int, seed: UInt64, mean: Double = -8, spread: Double = 11) -> [Double?] {
    var generator = Generator(seed: seed)
    return SimulatedDrummer(mean: mean, spread: spread).take(count, interval: 0.5, &generator).map(
      \.milliseconds)
  }

  @Test func `With the click alone nobody is coached, and somebody is told what to do`() throws {
    let played = play(click: 7, Array(repeating: nil, count: 64))
    #expect(played.advice.isEmpty)
    #expect(played.warnings.count == 1)
    #expect(played.warnings.first?.hasPrefix("listen hears the click itself.") == true)
    #expect(played.warnings.first?.contains("calibrate, turn the click down, or wear headphones") == true)
    #expect(played.checker.state.hearsClick)
    let report = try #require(played.report)
    #expect(report.summary.hearsClick)
    #expect(report.summary.scatter == nil)
    #expect(report.lines.first?.hasSuffix("how well you kept time is not known.") == true)
    #expect(!report.lines.contains { $0.contains("Spread") })
  }

  @Test func `A few clicks without a player are no take that could be praised`() throws {
    let played = play(click: 7, Array(repeating: nil, count: 12))
    #expect(try #require(played.report).summary.hearsClick)
    #expect(played.advice.isEmpty)
  }

  @Test(arguments: [0, 1, 2, 3] as [UInt64])
  func `A player beside the click is told that it is heard`(_ seed: UInt64) throws {
    let played = play(click: 7, drummer(128, seed: seed))
    #expect(played.warnings.count == 1)
    #expect(try #require(played.report).summary.hearsClick)
  }

  @Test(arguments: [3.0, 5, 11])
  func `A player without the click is taken for none`(_ spread: Double) throws {
    for seed in 0..<40 as Range<UInt64> {
      let played = play(click: nil, drummer(256, seed: seed, spread: spread))
      #expect(played.warnings.isEmpty)
      #expect(!(try #require(played.report).summary.hearsClick))
      #expect(!played.advice.isEmpty)
    }
  }

  @Test func `Headphones and triggers are not suspected`() throws {
    for played in [
      play(click: 7, Array(repeating: nil, count: 64), heedsBleed: false),
      play(click: 7, Array(repeating: nil, count: 64), mode: .trigger),
    ] {
      #expect(played.warnings.isEmpty)
      #expect(!(try #require(played.report).summary.hearsClick))
    }
  }
}
