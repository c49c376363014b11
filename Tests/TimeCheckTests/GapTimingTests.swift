import TestNumbers
import Testing

@testable import TimeCheck

@Suite struct GapTimingTests {
  /// Gaps of a player who keeps the tempo on average, by an inner clock and hands of known spreads.
  private func gaps(
    _ count: Int, hits: Int, clock: Double, hands: Double, _ generator: inout Generator
  ) -> TimingSummary.Gaps? {
    let runs = (0..<count).map { _ -> GapTiming.Run in
      let ticks = SimulatedDrummer(spread: clock).take(hits, interval: 0.5, &generator)
      let strokes = SimulatedDrummer(spread: hands).take(hits, interval: 0.5, &generator)
      var walk = 0.0
      let points = zip(ticks, strokes).map { tick, stroke in
        walk += tick.milliseconds
        return (seconds: tick.seconds, milliseconds: walk + stroke.milliseconds)
      }
      return (points: points, numbers: Array(0..<hits))
    }
    return GapTiming(runs).gaps
  }

  @Test(arguments: [(3, 16), (4, 8), (8, 4)])
  func `Who keeps the tempo on average is rarely called slower or faster`(count: Int, hits: Int) throws {
    var generator = Generator(seed: 5)
    var claims = 0
    for _ in 0..<1_000 {
      let reported = gaps(count, hits: hits, clock: 10, hands: 5, &generator)
      let slower = try #require(reported?.slower)
      if slower.isSignificant { claims += 1 }
    }
    // 5 % by design, and ±2.8 % by chance.
    #expect(claims <= 80)
  }

  @Test func `Two gaps say nothing of the tempo`() throws {
    var generator = Generator(seed: 5)
    let gaps = gaps(2, hits: 16, clock: 10, hands: 5, &generator)
    let reported = try #require(gaps)
    #expect(reported.slower == nil)
  }

  @Test func `Clock and hands are told apart in short gaps as in long ones`() throws {
    for (count, length) in [(4_000, 4), (400, 32)] {
      var generator = Generator(seed: 6)
      let reported = gaps(count, hits: length, clock: 10, hands: 8, &generator)
      let (clock, hands) = (try #require(reported?.clock), try #require(reported?.hands))
      #expect(9...11 ~= clock && 7...9 ~= hands, "\(length) hits: \(clock) and \(hands) ms")
    }
  }
}
