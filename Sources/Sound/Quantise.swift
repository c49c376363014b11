/// Rounds samples to the steps of 24 bits, in the upper bits of 32, as libsndfile takes them.
///
/// Full scale is 2^(bits − 1) steps, which is what readers divide by, so that a value on a step comes back as
/// it was. To the nearest step; +1 and beyond is the highest step, −1 and beyond the lowest. NaN is 0.
///
/// Not libsndfile's own conversion: with clipping on it rounds down.
///
/// - Parameter steps: at least as many as there are samples.
func quantise(_ samples: UnsafeBufferPointer<Float>, into steps: inout [Int32]) {
  precondition(steps.count >= samples.count)
  let scale = Double(1 << 23)
  // Added to a small number, this leaves its nearest integer (to even) in the low bits: unlike a conversion, which
  // traps or calls a function for each sample, that runs on several samples at once.
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

/// The same to the steps of 16 bits. They are few enough for `Float` to hold them and their halves.
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
