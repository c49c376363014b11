import Testing

@testable import Panel

@Suite struct PanelWakeupTests {
  @Test func `A wakeup that comes before the panel is prepared is not lost`() {
    PanelWakeup.post()
    let begin = ContinuousClock.now
    _ = PanelWakeup.wait(milliseconds: 60_000, forKeys: false)
    #expect(ContinuousClock.now - begin < .seconds(30))
  }
}
