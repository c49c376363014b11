import Files
import Glibc
import PracticeLog

/// Writes text piece by piece to a file or to standard output.
struct TextOutput: TextSink {
  private var file: StreamedFile?
  private var buffer: [UInt8] = []
  private static let block = 1 << 16

  /// - Parameter path: the path of a file, which appears when `finish` is called; nil for standard output.
  /// - Throws: `WriteError` if the file can't be created.
  init(_ path: String?) throws(WriteError) {
    if let path { file = try StreamedFile(path, mode: 0o600) }
  }

  mutating func write(_ text: String) throws {
    buffer += text.utf8
    if buffer.count >= TextOutput.block { try flush() }
  }

  private mutating func flush() throws(WriteError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    if let file { return try file.write(buffer) }
    let failure = buffer.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
    guard failure == 0 else { throw WriteError(path: "standard output", failure) }
  }

  /// Writes the rest and completes the file.
  /// - Throws: `WriteError`; an existing file is then unchanged.
  mutating func finish() throws(WriteError) {
    try flush()
    try file?.finish()
  }
}
