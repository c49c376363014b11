import MusicTime
import TestNumbers
import Testing

@testable import TimeCheck

/// A microphone with the click in it.
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
  ///   - calibratedBleed: the peak of the click in the calibration, where all comes with one of 0.3; nil without a calibration.
  private func play(
    click: Double?, _ late: [Double?], usesBleed: Bool = true, mode: ListeningSetup.Mode = .mic,
    calibratedBleed: Float? = nil
  ) -> Played {
    let setup = ListeningSetup(inputs: [.init(name: "", mode: mode)], hasNotes: false)
    var played = Played(checker: TimeChecker(setup, sampleRate: 48_000))
    var policy = TimeChecker.Policy()
    policy.usesBleed = usesBleed
    played.checker.setPolicy(policy)
    played.checker.setCalibrations(
      calibratedBleed.map {
        let calibration = Calibration(
          port: "listen", device: "", period: 256, sampleRate: 48_000, offset: 0, spread: 0.1, bleed: $0)
        return [.input(0): calibration]
      } ?? [:])
    var generator = Generator(seed: 3)
    played.checker.coach(
      Coach.Plan(goal: TimingGoal(bars: 4, spread: 12)), at: Coach.Place(section: 0, step: 0, steps: 9))
    for (beat, late) in late.enumerated() {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      played.checker.note(
        Onset(frame: frame, bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4)), isBeat: true, length: 24_000
      )
      var frames: [Int64] = []
      if let click {
        frames.append(frame.number + Int64(click * 48) + Int64.random(in: -5...5, using: &generator))
      }
      if let late { frames.append(frame.number + Int64(late * 48)) }
      played.checker.receive(
        frames.sorted().map { Hit(frame: ClockFrame($0), source: .input(0), strength: 0.3) })
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

  @Test func `A click that is louder than in the calibration is taken for no player`() throws {
    let played = play(click: 0, Array(repeating: nil, count: 64), calibratedBleed: 0.07)
    #expect(played.advice.isEmpty)
    #expect(played.warnings.count == 1)
    #expect(played.checker.state.hearsClick)
    let report = try #require(played.report)
    #expect(report.summary.hearsClick && report.summary.scatter == nil)
    let few = play(click: 0, Array(repeating: nil, count: 12), calibratedBleed: 0.07)
    #expect(few.advice.isEmpty)
    #expect(try #require(few.report).summary.hearsClick)
    // As loud as in the calibration it is no hit.
    #expect(play(click: 0, Array(repeating: nil, count: 64), calibratedBleed: 0.3).report == nil)
  }

  @Test(arguments: [0.0, -8], [3.0, 11])
  func `A player through a calibrated microphone is coached from the first hit`(mean: Double, spread: Double)
    throws
  {
    for seed in 0..<40 as Range<UInt64> {
      let played = play(
        click: nil, drummer(128, seed: seed, mean: mean, spread: spread), calibratedBleed: 0.07)
      #expect(played.warnings.isEmpty)
      #expect(!(try #require(played.report).summary.hearsClick))
      #expect(!played.advice.isEmpty)
    }
  }

  @Test func `With headphones nobody is told any more that the click is heard`() {
    var played = play(click: 7, Array(repeating: nil, count: 64))
    var policy = TimeChecker.Policy()
    policy.usesBleed = false
    played.checker.setPolicy(policy)
    #expect(!played.checker.state.hearsClick)
  }

  @Test func `Headphones and triggers are not suspected`() throws {
    for played in [
      play(click: 7, Array(repeating: nil, count: 64), usesBleed: false),
      play(click: 7, Array(repeating: nil, count: 64), mode: .trigger),
    ] {
      #expect(played.warnings.isEmpty)
      #expect(!(try #require(played.report).summary.hearsClick))
    }
  }
}
