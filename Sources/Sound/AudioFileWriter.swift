import Glibc

/// Writes a sound file completely or not at all.
///
/// The samples go to a temporary file in the destination's folder, and `finish` moves it to the destination in one step.
/// Until then an existing file stays unchanged. A dropped writer or a killed process leaves nothing behind (except a
/// hidden temporary file if the process is killed on a file system without nameless files).
///
/// - Thread: one at a time, any but audio
package final class AudioFileWriter {
  /// The destination, as the caller gave it.
  package let path: String
  package let format: AudioFormat
  /// The largest magnitude of the samples that were written.
  package private(set) var peak: Float = 0

  private let file: TemporaryFile
  private var encoder: AudioEncoder?

  /// Starts a file.
  ///
  /// - Parameters:
  ///   - path: the destination, in an existing folder. If it is a symbolic link, its target is replaced.
  ///   - format: from `AudioFormat(path:sampleRate:bitDepth:)`.
  ///   - expectedFrames: the approximate length, or 0 if unknown. A WAV file expected to exceed
  ///     4 GiB becomes RF64, which not every program reads.
  ///   - notes: the file's metadata: markers and time reference for WAV, title and comment for FLAC, none for OGG.
  /// - Throws: `SoundError` if no file can be created there.
  package init(
    path: String, format: AudioFormat, expectedFrames: Int = 0, notes: AudioNotes = AudioNotes()
  ) throws(SoundError) {
    self.path = path
    self.format = format
    file = try TemporaryFile(for: path)
    encoder = try AudioEncoder(
      path: path, descriptor: file.descriptor, format: format, expectedFrames: expectedFrames,
      notes: notes)
  }

  deinit {
    // The encoder writes once more when it closes, so close it before the descriptor, whose number may be reused.
    encoder = nil
  }

  /// Appends samples; 1 is full scale.
  ///
  /// Integer formats round to the nearest step, clip at full scale and write NaN as silence. 32-bit floating point keeps
  /// the samples unchanged. Calls with a few thousand samples or more are fastest.
  ///
  /// - Throws: `SoundError`, for example if the disk is full. The file is then lost: drop the writer.
  /// - Precondition: not after `finish`.
  package func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundError) {
    guard let encoder else { preconditionFailure("the file is finished") }
    try encoder.write(samples)
    peak = encoder.peak
  }

  /// Completes the file and moves it to the destination. Later calls do nothing.
  ///
  /// - Throws: `SoundError`; the destination is then unchanged.
  package func finish() throws(SoundError) {
    guard let encoder else { return }
    self.encoder = nil
    try encoder.finish()
    try file.commit()
  }
}
