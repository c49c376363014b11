import Testing

@testable import JACKClient

@Suite struct BackoffTests {
  @Test func `The time between tries grows to five seconds`() {
    var backoff = Backoff()
    var times: [Int] = []
    for time in 0..<30_000 where backoff.takeTurn(now: time) { times.append(time) }
    #expect(times == [0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300, 21_300, 26_300])
    #expect(backoff.failures == 10)
  }

  @Test func `After a long success the next try is immediate`() {
    var backoff = Backoff()
    for time in [0, 100, 300, 700] { #expect(take(&backoff, time)) }
    #expect(take(&backoff, 20_000))
    #expect(backoff.failures == 0)
    #expect(!take(&backoff, 20_050))
    #expect(take(&backoff, 20_100))
  }

  private func take(_ backoff: inout Backoff, _ time: Int) -> Bool { backoff.takeTurn(now: time) }
}
