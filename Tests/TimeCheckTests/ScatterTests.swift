import TestNumbers
import Testing

@testable import TimeCheck

@Suite struct ScatterTests {
  @Test(arguments: [
    (16, SimulatedDrummer(mean: -7)),
    (64, SimulatedDrummer(mean: -7, spread: 12, drift: 3)),
    (64, SimulatedDrummer(mean: 5, spread: 12, drift: 3, autocorrelation: 0.4)),
    (64, SimulatedDrummer(mean: 5, spread: 12, drift: -2, autocorrelation: -0.3)),
    (128, SimulatedDrummer(mean: 5, spread: 20, drift: -2, autocorrelation: 0.6)),
    (256, SimulatedDrummer(mean: 0, spread: 4, drift: 1, autocorrelation: 0.6)),
  ])
  func `A drummer's parameters are within their bounds in 95 of 100 takes`(
    count: Int, drummer: SimulatedDrummer
  ) throws {
    var generator = Generator(seed: 9)
    var within = [0, 0, 0, 0]
    for _ in 0..<1_000 {
      let reported = try #require(Scatter(drummer.take(count, interval: 0.5, &generator)))
      if reported.mean.contains(drummer.mean) { within[0] += 1 }
      if reported.spread.contains(drummer.spread) { within[1] += 1 }
      if reported.drift.contains(drummer.drift) { within[2] += 1 }
      if reported.autocorrelation.contains(drummer.autocorrelation) { within[3] += 1 }
    }
    // Of 1000 takes 950 ± 20 are within, by chance.
    #expect(within.allSatisfy { $0 >= 930 }, "mean, spread, drift, autocorrelation: \(within)")
  }

  @Test func `Fewer than eight hits tell nothing`() {
    #expect(Scatter((0..<7).map { (Double($0), 0) }) == nil)
    #expect(Scatter((0..<8).map { _ in (1, 0) }) == nil)
  }

  @Test func `A machine has no spread`() throws {
    let reported = try #require(Scatter((0..<50).map { (Double($0), 3) }))
    #expect(reported.mean.value == 3)
    #expect(reported.spread.value == 0)
  }

  @Test func `Sixteen hits know the spread to a third, a hundred and twenty-eight to an eighth`() throws {
    var generator = Generator(seed: 2)
    func width(_ count: Int) throws -> Double {
      let reported = try #require(Scatter(SimulatedDrummer().take(count, interval: 0.5, &generator)))
      return reported.spread.margin / reported.spread.value
    }
    #expect(0.25...0.55 ~= (try width(16)))
    #expect(0.10...0.15 ~= (try width(128)))
  }
}
