/// Encodes samples into an open file.
///
/// - Thread: one at a time, any but audio
package final class AudioStream {
  private var encoder: AudioEncoder?

  /// - Parameters:
  ///   - path: for messages.
  ///   - descriptor: open for reading and writing, at its start. The caller closes it after this object is released.
  /// - Throws: `SoundError`.
  package init(
    path: String, descriptor: Int32, format: AudioFormat, notes: AudioNotes = AudioNotes()
  ) throws(SoundError) {
    encoder = try AudioEncoder(
      path: path, descriptor: descriptor, format: format, expectedFrames: 0, notes: notes)
  }

  /// Appends interleaved samples; 1 is full scale.
  /// - Throws: `SoundError`, for example if the disk is full.
  package func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundError) { try encoder?.write(samples) }

  /// Completes the file. Later calls do nothing.
  /// - Throws: `SoundError`.
  package func finish() throws(SoundError) {
    guard let encoder else { return }
    self.encoder = nil
    try encoder.finish()
  }
}
