import HearingBench
import Testing

/// What is promised of hearing, on takes whose truth is known. `make bench ARGS=hearing` measures longer ones.
@Suite struct HearingTests {
  private static let cases = HearingCase.all.filter(Hearing.isPossible)

  #if Listening
    @Test(.enabled(if: Hearing.hearsMicrophones, "libaubio5 is not installed"), arguments: cases)
    func `A microphone hears each kind of take as well as is promised`(_ one: HearingCase) {
      let figure = Hearing.measure(one, by: .mic, count: 240)
      #expect(figure.f >= one.least, "\(one.name): \(figure)")
      #expect(abs(figure.mean) <= 0.5, "\(one.name): \(figure)")
      #expect(abs(figure.spread) <= 0.3, "\(one.name): \(figure)")
    }
  #endif

  @Test func `A trigger hears rim clicks and rolls to the sample`() {
    for one in HearingCase.all where one.name.contains("rim click, synth") || one.name.contains("roll") {
      let figure = Hearing.measure(one, by: .trigger, count: 240)
      #expect(figure.f >= 0.99, "\(one.name): \(figure)")
      #expect(abs(figure.spread) <= 0.05, "\(one.name): \(figure)")
    }
  }
}
