import Testing

@testable import JACKClient

/// When Tactus locates a waiting transport of PipeWire to its own position.
@Suite struct WaitingTransportTests {
  private func located(_ frames: UInt32...) -> [Bool] {
    var waiting = WaitingTransport()
    return frames.map { waiting.mustLocate(to: $0) }
  }

  @Test func `A transport that waits is located once, in its second cycle`() {
    #expect(located(8_960, 8_960, 8_960, 8_960) == [false, true, false, false])
    #expect(located(0) == [false])
  }

  @Test func `A transport that another client locates is not located by Tactus`() {
    #expect(located(8_960, 1_000_000, 1_000_000, 1_000_000) == [false, false, false, false])
    #expect(located(8_960, 8_960, 1_000_000, 1_000_000) == [false, true, false, false])
  }
}
