import Files
import Glibc
import Sound
import Validation

/// A FLAC file of a recording. It has its final name from the start, so a killed process loses only the last seconds.
final class RecordingFile {
  let path: String
  private let descriptor: Int32
  private var stream: AudioStream?
  /// Whether the file was seen with its first bytes.
  private var hasContent = false

  /// Creates a new file, and its folder if that is missing. If the name is taken, a number is appended.
  /// - Parameters:
  ///   - name: without the extension.
  ///   - channels: the names of the channels, for the file's comment.
  /// - Throws: `SoundError` or `InvalidValue`.
  init(in folder: String, named name: String, sampleRate: Int, channels: [String], title: String) throws {
    // It may have been deleted since the start. Other errors appear below.
    mkdir(folder, 0o777)
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    var (path, descriptor, number) = ("\(prefix)\(name).flac", Int32(-1), 1)
    repeat {
      descriptor = open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0o666)
      guard descriptor < 0, errno == EEXIST, number < 10_000 else { break }
      number += 1
      path = "\(prefix)\(name) (\(number)).flac"
    } while true
    guard descriptor >= 0 else {
      throw SoundError(path: path, .unwritable(reason: String(cString: strerror(errno))))
    }
    (self.path, self.descriptor) = (path, descriptor)
    var notes = AudioNotes()
    notes.title = title
    notes.comment = channels.enumerated().map { "channel \($0 + 1): \($1)" }.joined(separator: ", ")
    stream = try AudioStream(
      path: path, descriptor: descriptor,
      format: AudioFormat(path: path, sampleRate: sampleRate, channels: channels.count), notes: notes)
  }

  deinit {
    // The encoder writes once more when it closes.
    stream = nil
    close(descriptor)
  }

  /// Appends frames of interleaved samples; 1 is full scale.
  /// - Throws: `SoundError`. The content before stays.
  func write(_ samples: [Float]) throws {
    try samples.withUnsafeBufferPointer { try stream?.write($0) }
  }

  /// Whether somebody has deleted the file, perhaps with its folder, or emptied it. What is written then is lost.
  var isDeleted: Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    var start: [UInt8] = [0, 0, 0, 0]
    let count = pread(descriptor, &start, start.count, 0)
    let isWhole = count == start.count && start == Array("fLaC".utf8)
    defer { hasContent = hasContent || isWhole }
    return status.st_nlink == 0 || hasContent && count >= 0 && !isWhole
  }

  /// Completes the header.
  /// - Throws: `SoundError`.
  func finish() throws {
    defer { stream = nil }
    try stream?.finish()
  }

  /// A file name from local time and title, without characters that file names can't have: `2026-11-24 14-05-09 Slow Blues`.
  /// - Parameter milliseconds: since the Unix epoch.
  static func name(at milliseconds: Int64, title: String) -> String {
    var (seconds, parts) = (time_t(milliseconds / 1_000), tm())
    localtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = "\(parts.tm_year + 1_900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    let time = "\(two(parts.tm_hour))-\(two(parts.tm_min))-\(two(parts.tm_sec))"
    let plain = printable(title).map { "/\\:*?\"<>|".contains($0) ? "-" : $0 }
    return "\(day) \(time) \(plain.isEmpty ? "metronome" : shortened(String(plain)))"
  }

  /// The characters that fit into 100 bytes: file systems allow names of 255.
  private static func shortened(_ text: String) -> String {
    var text = text
    while text.utf8.count > 100 { text.removeLast() }
    return text
  }
}
