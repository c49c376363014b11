import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("The cost of locating")
struct LocateCostTests {
  /// Nanoseconds for a locate to a random frame and one period of one frame there.
  private func cost(sections: Int) throws -> Double {
    let plan = try Pattern(thousandths: 999_999, meter: (1, 16)).plan(bars: 1)
    let score = Score.make(
      Array(repeating: plan, count: sections), sampleRate: 48_000, clips: .shortest, generation: 1,
      role: .lead)
    let end = Int(try #require(score.pointee.endFrame))
    let rig = Rig(score)
    var numbers = Generator(seed: 61)
    var transport = Cycle.Transport()
    func locate(_ times: Int) {
      for _ in 0..<times {
        transport.frame = UInt32(numbers.number(0...end - 1))
        rig.cycle(1, transport)
      }
    }
    locate(10_000)
    let rounds = 100_000
    let time = ContinuousClock().measure { locate(rounds) }
    return Double(time.components.attoseconds) * 1e-9 / Double(rounds) + Double(time.components.seconds) * 1e9
      / Double(rounds)
  }

  /// The printed numbers are informative. The bound is wide: only a cost in proportion to the sections, a thousand times as much,
  /// exceeds it.
  @Test("The cost of a locate grows with the logarithm of the sections")
  func logarithm() throws {
    let costs = try [100, 1_000, 10_000, 100_000].map { (sections: $0, cost: try cost(sections: $0)) }
    for (sections, cost) in costs { print("a locate among \(sections) sections: \(Int(cost)) ns") }
    #expect(costs.last!.cost < 50 * costs.first!.cost)
  }
}
