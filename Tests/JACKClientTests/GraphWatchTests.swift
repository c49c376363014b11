import Realtime
import Testing

@testable import JACKClient

@Suite struct GraphWatchTests {
  /// Makes checks at times and cycle counts, and returns the indices of those at which the server seems to have stopped.
  private func stalls(_ looks: [(after: Double, cycles: UInt64)], period: Double = 0.005) -> [Int] {
    let begin = Instant(nanoseconds: 1_000_000_000)
    var watch = GraphWatch(at: begin)
    return looks.indices.filter {
      watch.isStalled(
        cycles: looks[$0].cycles, period: .seconds(period), at: begin + .seconds(looks[$0].after))
    }
  }

  @Test func `A server that doesn't call for a second has stopped`() {
    let looks = (1...8).map { (after: 0.4 * Double($0), cycles: UInt64(7)) }
    // The first look sees that it has called.
    #expect(stalls(looks) == [3, 4, 5, 6, 7])
    #expect(stalls(looks, period: 0.13) == [7])
  }

  @Test func `A machine that stalls has not lost its server`() {
    #expect(stalls([(0.25, 7), (0.5, 7), (9.5, 7), (9.75, 90), (10, 140)]) == [])
    // If the server has indeed stopped, this is still detected.
    #expect(stalls([(0.25, 7), (9.5, 7), (9.75, 7), (10, 7), (10.25, 7)]) == [3, 4])
  }
}
