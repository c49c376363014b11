import Glibc

/// Reads a descriptor to its end, or until there are more than `limit` bytes. Continues after interrupting signals.
/// - Parameter expected: how many bytes there are, most probably.
/// - Returns: nil after a read error; `errno` then says which.
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

/// A file's content; nil if it can't be read.
package func content(of path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  return readAll(descriptor)
}

/// A text file's content; nil if it can't be read or is not UTF-8.
package func text(of path: String) -> String? {
  content(of: path).flatMap { String(validating: $0, as: UTF8.self) }
}
