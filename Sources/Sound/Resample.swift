import CSamplerate

/// The same sound at another sample rate: pitch and onset stay, and the length to the nearest frame (at least one).
///
/// libsamplerate's best band-limited interpolation (97 dB signal to noise); the input is taken to be silent before
/// its first and after its last sample. At equal rates the samples are returned as they are.
///
/// - Parameters: the rates are in hertz, and neither is more than 256 times the other.
/// - Thread: any but audio; it allocates, and takes some 10 ms for a second of sound.
func resample(_ samples: [Float], from rate: Int, to newRate: Int) -> [Float] {
  guard rate != newRate, !samples.isEmpty else { return samples }
  let ratio = Double(newRate) / Double(rate)
  precondition(src_is_valid_ratio(ratio) != 0, "a ratio of \(ratio) is out of range")

  let count = max(1, Int((Double(samples.count) * ratio).rounded()))
  // A frame more than that, as the library rounds up; what it leaves unwritten is silence.
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
  // It fails for arguments that were ruled out above, or where memory is out.
  precondition(status == 0, "libsamplerate: \(String(cString: src_strerror(status)))")
  output.removeLast(output.count - count)
  return output
}
