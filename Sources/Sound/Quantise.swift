/// Rounds samples to 24 bits, in the upper bits of 32, as libsndfile expects them.
///
/// Full scale is 2^(bits − 1) steps, the number that readers divide by, so that a value on a step survives a round
/// trip. Rounds to the nearest step and clips to the lowest and highest; NaN becomes 0.
///
/// libsndfile's own conversion is not used: with clipping on it rounds down.
///
/// - Parameter steps: must have at least as many elements as there are samples.
/// - Returns: the largest magnitude of the samples.
func quantise(_ samples: UnsafeBufferPointer<Float>, into steps: inout [Int32]) -> Float {
  steps.withUnsafeMutableBufferPointer { steps in
    quantise(samples, into: steps) { samples, steps in round(samples, into: steps) }
  }
}

/// The same for 16 bits.
func quantise(_ samples: UnsafeBufferPointer<Float>, into steps: inout [Int16]) -> Float {
  steps.withUnsafeMutableBufferPointer { steps in
    quantise(samples, into: steps) { samples, steps in round(samples, into: steps) }
  }
}

/// Rounds blocks that are not silent. Most of a click track is silent.
private func quantise<Step: FixedWidthInteger>(
  _ samples: UnsafeBufferPointer<Float>, into steps: UnsafeMutableBufferPointer<Step>,
  round: (UnsafeBufferPointer<Float>, UnsafeMutablePointer<Step>) -> Void
) -> Float {
  precondition(steps.count >= samples.count)
  guard let begin = samples.baseAddress, let target = steps.baseAddress else { return 0 }
  var peak: Float = 0
  for start in stride(from: 0, to: samples.count, by: 512) {
    let part = UnsafeBufferPointer(start: begin + start, count: min(512, samples.count - start))
    let loudest = part.peak
    peak = max(peak, loudest)
    if loudest == 0 {
      (target + start).update(repeating: 0, count: part.count)
    } else {
      round(part, target + start)
    }
  }
  return peak
}

// The module is compiled to be small. These loops are fast only if the compiler vectorises them.

@_optimize(speed) @inline(never)
private func round(_ samples: UnsafeBufferPointer<Float>, into steps: UnsafeMutablePointer<Int32>) {
  let scale = Double(1 << 23)
  // Adding this to a small number leaves the nearest integer (ties to even) in the low bits. A conversion would trap, or call a
  // function for each sample.
  let rounder = 0x1.8p52
  for index in samples.indices {
    let scaled = Double(samples[index]) * scale
    let bounded = min(max(scaled == scaled ? scaled : 0, -scale), scale - 1)
    let step = UInt32(truncatingIfNeeded: (bounded + rounder).bitPattern)
    steps[index] = Int32(bitPattern: step &<< 8)
  }
}

/// `Float` represents steps of 16 bits and their halves exactly.
@_optimize(speed) @inline(never)
private func round(_ samples: UnsafeBufferPointer<Float>, into steps: UnsafeMutablePointer<Int16>) {
  let scale = Float(1 << 15)
  let rounder: Float = 0x1.8p23
  for index in samples.indices {
    let scaled = samples[index] * scale
    let bounded = min(max(scaled == scaled ? scaled : 0, -scale), scale - 1)
    steps[index] = Int16(truncatingIfNeeded: (bounded + rounder).bitPattern)
  }
}

extension UnsafeBufferPointer<Float> {
  /// The largest magnitude of the samples; 0 without samples, NaN if one is NaN.
  var peak: Float {
    @_optimize(speed) @inline(never) get {
      // Without their signs, floating-point numbers have the same order as their bits.
      var peak: Int32 = 0
      for sample in self { peak = Swift.max(peak, Int32(bitPattern: sample.bitPattern) & .max) }
      return Float(bitPattern: UInt32(bitPattern: peak))
    }
  }
}
