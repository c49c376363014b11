import Testing

@testable import Sound

@Suite struct SplitMix64Tests {
  @Test("The numbers are those of the published algorithm")
  func published() {
    var random = SplitMix64(seed: 1_234_567)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
    #expect(random.next() == 9_817_491_932_198_370_423)
  }

  @Test("Unit numbers stay below 1 and fill the range evenly")
  func unit() {
    var random = SplitMix64(seed: 7)
    let numbers = (0..<10_000).map { _ in random.nextUnit() }
    #expect(numbers.allSatisfy { (0..<1).contains($0) })
    #expect(abs(numbers.reduce(0, +) / 10_000 - 0.5) < 0.01)
    #expect(numbers.min()! < 0.001 && numbers.max()! > 0.999)
  }
}
