import Glibc

/// Writes a mono sound file, all of it or nothing.
///
/// The samples go to a temporary file in the destination's folder, and `finish` puts that in the destination's
/// place in one step. Until then a file that is there already stays as it was, and a writer that is dropped, or whose
/// process is killed, leaves nothing behind (killed on a file system without nameless files, a hidden temporary).
///
/// - Thread: one at a time, any but audio.
public final class AudioFileWriter {
  /// The destination, as it was given.
  public let path: String
  public let format: AudioFormat

  private let file: TemporaryFile
  private var encoder: AudioEncoder?

  /// Starts a file.
  ///
  /// - Parameters:
  ///   - path: the destination, in a folder that exists. Through a symbolic link the file it points to is replaced.
  ///   - format: as `AudioFormat(path:sampleRate:bitDepth:)` gives it.
  ///   - expectedFrames: about how many frames will be written, if that is known. A WAV file that is to grow
  ///     over 4 GiB becomes RF64, which not every program reads.
  /// - Throws: `SoundError` if no file can be made there.
  public init(path: String, format: AudioFormat, expectedFrames: Int = 0) throws(SoundError) {
    self.path = path
    self.format = format
    file = try TemporaryFile(for: path)
    encoder = try AudioEncoder(
      path: path, descriptor: file.descriptor, format: format, expectedFrames: expectedFrames)
  }

  deinit {
    // Closing, the encoder writes once more: its descriptor must still be ours then, not some other file's.
    encoder = nil
  }

  /// Adds samples at the end; 1 is full scale.
  ///
  /// Integer formats take the nearest step; what is over full scale is clipped, and what is not a number is
  /// silence. 32-bit floating point keeps the samples as they are. A few thousand samples a call or more are fastest.
  ///
  /// - Throws: `SoundError` if the disk is full, say. The file is lost then: drop the writer.
  /// - Precondition: not after `finish`.
  public func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundError) {
    guard let encoder else { preconditionFailure("the file is finished") }
    try encoder.write(samples)
  }

  /// Completes the file and puts it in the destination's place. Later calls do nothing.
  ///
  /// - Throws: `SoundError`; the destination is then as it was before.
  public func finish() throws(SoundError) {
    guard let encoder else { return }
    self.encoder = nil
    try encoder.finish()
    try file.commit()
  }
}
