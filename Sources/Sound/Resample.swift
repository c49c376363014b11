import CSamplerate

/// Resamples a sound. Pitch and onset stay; the length is rounded to the nearest frame (at least one).
///
/// Uses libsamplerate's best band-limited interpolation (97 dB signal to noise), with silence assumed before
/// the first and after the last sample. At equal rates the samples are returned unchanged.
///
/// - Parameters: the rates are in hertz, and their ratio is at most 256.
/// - Thread: any but audio; allocates, and takes some 10 ms per second of sound
func resample(_ samples: [Float], from rate: Int, to newRate: Int) -> [Float] {
  guard rate != newRate, !samples.isEmpty else { return samples }
  let ratio = Double(newRate) / Double(rate)
  precondition(src_is_valid_ratio(ratio) != 0, "a ratio of \(ratio) is out of range")

  let count = max(1, Int((Double(samples.count) * ratio).rounded()))
  // One frame more, as the library rounds up. Unwritten frames are silent.
  var output = [Float](repeating: 0, count: count + 1)
  let status = samples.withUnsafeBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      var data = SRC_DATA()
      data.data_in = input.baseAddress
      data.data_out = output.baseAddress
      data.input_frames = input.count
      data.output_frames = output.count
      data.src_ratio = ratio
      return src_simple(&data, Int32(SRC_SINC_BEST_QUALITY), 1)
    }
  }
  // It fails only for arguments excluded above, or if memory is exhausted.
  precondition(status == 0, "libsamplerate: \(String(cString: src_strerror(status)))")
  output.removeLast(output.count - count)
  return output
}
