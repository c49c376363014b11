/// A random generator that gives the same sequence for the same seed, on every machine and in every release.
///
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The next number, evenly spread over 0 up to, not including, 1, in steps of 2⁻⁵³.
  ///
  /// `Double.random(in:using:)` is not used: its algorithm may change with the standard library.
  mutating func nextUnit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
