import Testing

@testable import Panel

@Suite struct WakeupTests {
  @Test func `A wakeup that comes before the panel is prepared is not lost`() {
    Wakeup.post()
    let begin = ContinuousClock.now
    _ = Wakeup.wait(milliseconds: 60_000, forKeys: false)
    #expect(ContinuousClock.now - begin < .seconds(30))
  }
}
