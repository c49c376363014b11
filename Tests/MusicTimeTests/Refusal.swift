import MusicTime
import Testing

/// Expects a value to be refused with exactly this text.
func expectRefusal(
  _ message: String, sourceLocation: SourceLocation = #_sourceLocation, _ make: () throws -> some Any
) {
  do {
    let value = try make()
    Issue.record("\(value) was accepted", sourceLocation: sourceLocation)
  } catch {
    #expect("\(error)" == message, sourceLocation: sourceLocation)
  }
}

/// SplitMix64: the same numbers in every run.
struct Generator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
