import MusicTime
import TestNumbers
import Testing
import Validation

@testable import Control

@Suite struct CadenceModelTests {
  /// Worked out by hand.
  ///
  /// A leg is 0.53 × height: 0.954 m at 1.80, 0.795 m at 1.50, 1.06 m at 2.00, 0.53 m at 1.00.
  private static let handMade: [(Double, Double, Double, Int)] = [
    // 170 + 8 × (3 − 3) = 170; the stride is 60 × 3 / 170 = 1.059 m, within 0.668…1.240.
    (1.80, 3.0, 0.0, 170),
    // 170 + 8 × (3.333 − 3) = 172.67; 60 × 3.333 / 172.67 = 1.158. Rounded 173, with −3 169.67 → 170.
    (1.80, 12 / 3.6, 0, 173), (1.80, 12 / 3.6, -3, 170),
    // 170 + 8 × 1 = 178; 60 × 4 / 178 = 1.348 > 1.240 (at 1.75 m: > 1.206): 2 more, once.
    (1.80, 4, 0, 180), (1.75, 4, 0, 180), (1.80, 4, 10, 190), (1.80, 4, -10, 170),
    // 170 + 8 × 2 = 186; 60 × 5 / 186 = 1.61: 188.
    (1.80, 5, 0, 188), (1.80, 5, 10, 195), (1.80, 5, -10, 178),
    // 170 − 8 × 0.5 = 166; 60 × 2.5 / 166 = 0.904 in 0.742…1.378 for 2.00 m.
    (2.00, 2.5, 0, 166),
    // 170 − 8 × 1 = 162; 60 × 2 / 162 = 0.741 < 0.742: 2 fewer.
    (2.00, 2, 0, 160),
    // 170 − 8 × 1.5 = 158; 90 / 158 = 0.570 < 0.742: 156.
    (2.00, 1.5, 0, 156), (2.00, 1.5, -5, 155), (2.00, 1.5, 5, 161),
    // 170 − 8 × 3 = 146, 144 with strides of no length: 155 at least.
    (1.80, 0, 0, 155), (1.80, 0, 10, 155),
    // A child: 60 × 3 / 170 = 1.059 > 1.3 × 0.53 = 0.689.
    (1.00, 3, 0, 172),
    // 170 + 8 × 0.2 = 171.6; 60 × 3.2 / 171.6 = 1.119 > 1.3 × 0.795 = 1.0335: 173.6.
    (1.50, 3.2, 0, 174), (1.50, 3.2, -0.2, 173),
  ]

  @Test(arguments: handMade)
  func aRunnersCadence(_ height: Double, _ speed: Double, _ offset: Double, _ expected: Int) throws {
    var model = CadenceModel()
    try model.set([.height: height, .offset: offset])
    #expect(model.cadence(at: speed) == expected)
  }

  @Test func everyConstantCounts() throws {
    // At 4.5 m/s and 1.75 m, or 1 m/s for lowering constants: a change of each single constant changes the suggestion.
    let changes: [(CadenceConstant, Double, Double)] = [
      (.height, 2.2, 3.7), (.offset, 3, 3), (.cadence, 160, 3), (.referenceSpeed, 2, 3), (.slope, 20, 2.5),
      (.leg, 0.7, 3.7), (.shortestStride, 1.2, 3), (.longestStride, 1, 3), (.nudge, 7, 3.7),
      (.lowest, 165, 1),
      (.highest, 180, 5),
    ]
    #expect(Set(changes.map(\.0)) == Set(CadenceConstant.allCases))
    for (constant, value, speed) in changes {
      var model = CadenceModel()
      try model.set([constant: value])
      #expect(model.cadence(at: speed) != CadenceModel().cadence(at: speed), "\(constant)")
      #expect(model.changed == [constant: value])
    }
  }

  @Test func whatCantBeChangesNothing() throws {
    var model = CadenceModel()
    try model.set([.lowest: 160])
    let before = model
    for constant in CadenceConstant.allCases {
      for value in [constant.bounds.lowerBound - 0.1, constant.bounds.upperBound + 0.1, .nan, .infinity] {
        var values: [CadenceConstant: Double] = [.slope: 9]
        values[constant] = value
        #expect(throws: InvalidValue.self) { try model.set(values) }
      }
    }
    #expect(throws: InvalidValue("lowest", "200", allowed: "at most highest, which is 195")) {
      try model.set([.lowest: 200])
    }
    #expect(throws: InvalidValue.self) { try model.set([.shortestStride: 1.31]) }
    #expect(model == before)
  }

  @Test func itStaysWithinItsBoundsWhateverTheConstants() throws {
    var random = Generator(seed: 3)
    for _ in 0..<2_000 {
      var model = CadenceModel()
      for constant in CadenceConstant.allCases {
        try? model.set([constant: Double.random(in: constant.bounds, using: &random)])
      }
      let cadence = Double(model.cadence(at: Double.random(in: 0...Measure.fastest, using: &random)))
      #expect(model[.lowest].rounded() <= cadence && cadence <= model[.highest].rounded())
    }
  }
}
