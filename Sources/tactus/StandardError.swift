import Files
import Glibc
import Validation

/// Writes messages to standard error.
enum StandardError {
  /// Writes a text line by line; each line is made printable.
  /// - Parameter prefix: written before every line.
  static func write(_ text: String, prefix: String = "") {
    let lines = text.split(separator: "\n").map { "\(prefix)\(printable(String($0), limit: 8_192))\n" }
    put(lines.joined())
  }

  /// Writes a text unchanged.
  static func put(_ text: String) {
    var text = text
    _ = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }
}
