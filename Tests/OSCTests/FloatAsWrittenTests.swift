import OSC
import TestNumbers
import Testing

@Suite struct FloatAsWrittenTests {
  @Test(arguments: [
    (Float(1.1), 1.1), (133.7, 133.7), (0.1, 0.1), (-0.05, -0.05), (999.999, 999.999),
    (16_777_216, 16_777_216),
  ])
  func aFloatMeansTheDecimalThatWasWritten(float: Float, decimal: Double) {
    #expect(float.asWritten == decimal)
  }

  @Test func itIsTheShortestDecimalForAMillionFloatsOfAnySize() {
    var random = Generator(seed: 5)
    for index in 0..<1_000_000 {
      let float =
        index.isMultiple(of: 2)
        ? Float(bitPattern: .random(in: 0 ... .max, using: &random))
        : Float(Double(Int.random(in: -9_000_000...9_000_000, using: &random)) / 1_000)
      guard float.isFinite else { continue }
      let expected = Double("\(float)")
      if float.asWritten != expected { Issue.record("\(float): \(float.asWritten)") }
    }
  }

  @Test func faderValuesOfAllStepsAreReadAsTheyAreWritten() {
    for step in 0...1_000_000 {
      let float = Float(Double(step) / 1_000_000 * 8)
      if float.asWritten != Double("\(float)") { Issue.record("\(float): \(float.asWritten)") }
    }
  }
}
