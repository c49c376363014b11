/// Rounds samples to 24 bits, in the upper bits of 32, as libsndfile expects them.
///
/// Full scale is 2^(bits − 1) steps, the number that readers divide by, so that a value on a step survives a round
/// trip. Rounds to the nearest step and clips to the lowest and highest; NaN becomes 0.
///
/// libsndfile's own conversion is not used: with clipping on it rounds down.
///
/// - Parameter steps: must have at least as many elements as there are samples.
func quantise(_ samples: UnsafeBufferPointer<Float>, into steps: inout [Int32]) {
  precondition(steps.count >= samples.count)
  let scale = Double(1 << 23)
  // Added to a small number, this leaves the nearest integer (to even) in the low bits. Unlike a conversion, which traps
  // or calls a function for each sample, the compiler vectorises it.
  let rounder = 0x1.8p52
  steps.withUnsafeMutableBufferPointer { steps in
    for index in samples.indices {
      let scaled = Double(samples[index]) * scale
      let bounded = min(max(scaled == scaled ? scaled : 0, -scale), scale - 1)
      let step = UInt32(truncatingIfNeeded: (bounded + rounder).bitPattern)
      steps[index] = Int32(bitPattern: step &<< 8)
    }
  }
}

/// The same for 16 bits. `Float` represents these steps and their halves exactly.
func quantise(_ samples: UnsafeBufferPointer<Float>, into steps: inout [Int16]) {
  precondition(steps.count >= samples.count)
  let scale = Float(1 << 15)
  let rounder: Float = 0x1.8p23
  steps.withUnsafeMutableBufferPointer { steps in
    for index in samples.indices {
      let scaled = samples[index] * scale
      let bounded = min(max(scaled == scaled ? scaled : 0, -scale), scale - 1)
      steps[index] = Int16(truncatingIfNeeded: (bounded + rounder).bitPattern)
    }
  }
}
