import Files
import Glibc
import PracticeLog

/// Text that goes to a file or to standard output piece by piece.
struct TextOutput: TextSink {
  private var file: StreamedFile?
  private var buffer: [UInt8] = []
  private static let block = 1 << 16

  /// - Parameter path: of a file, which appears when all is written; nil for standard output.
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

  mutating func finish() throws(WriteError) {
    try flush()
    try file?.finish()
  }
}
