/// Writes samples into a file that is open already, as they come.
///
/// - Thread: one at a time, any but audio
package final class AudioStream {
  private var encoder: AudioEncoder?

  /// - Parameters:
  ///   - path: for messages.
  ///   - descriptor: open for reading and writing, at its start; the caller closes it after this object is gone.
  /// - Throws: `SoundError`.
  package init(
    path: String, descriptor: Int32, format: AudioFormat, notes: AudioNotes = AudioNotes()
  ) throws(SoundError) {
    encoder = try AudioEncoder(
      path: path, descriptor: descriptor, format: format, expectedFrames: 0, notes: notes)
  }

  /// Appends samples, those of a frame together; 1 is full scale.
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
