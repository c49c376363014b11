import Glibc

/// Reads a descriptor to its end, or until more than `limit` bytes are read. Continues after interrupting signals.
/// - Parameters:
///   - limit: in bytes. The result may be up to 256 KiB longer.
///   - expected: the probable length in bytes.
/// - Returns: nil after a read error, with the reason in `errno`.
/// - Thread: any but audio
package func readAll(_ descriptor: Int32, limit: Int = .max - 1, expecting expected: Int = 0) -> [UInt8]? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(min(expected, limit))
  var block = [UInt8](repeating: 0, count: 1 << 18)
  while bytes.count <= limit {
    let count = read(descriptor, &block, block.count)
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { return nil }
    if count == 0 { break }
    bytes += block[..<count]
  }
  return bytes
}

/// A file's content; nil if it can't be read, with the reason in `errno` if opening it failed.
/// - Thread: any but audio
package func content(of path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  return readAll(descriptor)
}

/// A text file's content; nil if it can't be read or is not UTF-8.
/// - Thread: any but audio
package func text(of path: String) -> String? {
  content(of: path).flatMap { String(validating: $0, as: UTF8.self) }
}
