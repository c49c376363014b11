import HearingBench
import Testing

/// The promised accuracy on takes with known strokes. `make bench ARGS=hearing` measures longer takes.
@Suite struct HearingTests {
  private static let cases = HearingCase.all.filter(Hearing.isPossible)

  #if Listening
    @Test(.enabled(if: Hearing.hearsMicrophones, "libaubio5 is not installed"), arguments: cases)
    func `A microphone detects each kind of take with the promised accuracy`(_ one: HearingCase) {
      let figure = Hearing.measure(one, by: .mic, count: 240)
      #expect(figure.f >= one.least, "\(one.name): \(figure)")
      #expect(abs(figure.mean) <= 0.5, "\(one.name): \(figure)")
      #expect(abs(figure.spread) <= 0.3, "\(one.name): \(figure)")
    }
  #endif

  @Test func `A trigger detects rim clicks and rolls to the sample`() {
    for one in HearingCase.all where one.name.contains("rim click, synth") || one.name.contains("roll") {
      let figure = Hearing.measure(one, by: .trigger, count: 240)
      #expect(figure.f >= 0.99, "\(one.name): \(figure)")
      #expect(abs(figure.spread) <= 0.05, "\(one.name): \(figure)")
    }
  }
}
