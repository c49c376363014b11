/// A position in a datagram, and an end that it never passes.
///
/// Invariant: 0 ≤ `position` ≤ `end` ≤ `bytes.count`, so no sum of them can overflow. If the bytes for a read are not all
/// there, it returns nil and does not move. Nothing is copied.
struct OSCReader {
  private let bytes: [UInt8]
  private(set) var position: Int
  private let end: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = 0
    end = bytes.count
  }

  private init(_ bytes: [UInt8], from position: Int, to end: Int) {
    self.bytes = bytes
    self.position = position
    self.end = end
  }

  var remaining: Int { end - position }

  /// The next byte, which is not consumed; nil at the end.
  var next: UInt8? { position < end ? bytes[position] : nil }

  /// Whether these bytes come next. Consumes nothing.
  func begins(with prefix: StaticString) -> Bool {
    guard prefix.utf8CodeUnitCount <= remaining else { return false }
    return (0..<prefix.utf8CodeUnitCount).allSatisfy { bytes[position + $0] == prefix.utf8Start[$0] }
  }

  /// Consumes a 32-bit big-endian word.
  mutating func word() -> UInt32? {
    guard remaining >= 4 else { return nil }
    defer { position += 4 }
    return UInt32(bytes[position]) << 24 | UInt32(bytes[position + 1]) << 16
      | UInt32(bytes[position + 2]) << 8 | UInt32(bytes[position + 3])
  }

  /// Consumes a 64-bit big-endian word.
  mutating func longWord() -> UInt64? {
    guard remaining >= 8, let high = word(), let low = word() else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }

  /// Consumes bytes and the zeros that pad them to a multiple of 4.
  /// - Returns: the position of the bytes without the zeros.
  mutating func padded(_ count: Int) -> Range<Int>? {
    guard count >= 0, count <= remaining else { return nil }
    let padding = (4 - count % 4) % 4
    guard padding <= remaining - count else { return nil }
    let payload = position..<position + count
    for index in payload.upperBound..<payload.upperBound + padding where bytes[index] != 0 { return nil }
    position += count + padding
    return payload
  }

  /// Consumes bytes up to a zero, that zero, and the zeros that pad them to a multiple of 4.
  /// - Returns: the position of the bytes without the zeros.
  mutating func terminated() -> Range<Int>? {
    var zero = position
    while zero < end, bytes[zero] != 0 { zero += 1 }
    guard zero < end else { return nil }
    return padded(zero + 1 - position)?.dropLast()
  }

  /// Consumes `count` bytes, and returns a reader that is limited to them.
  mutating func part(_ count: Int) -> OSCReader? {
    guard count >= 0, count <= remaining else { return nil }
    defer { position += count }
    return OSCReader(bytes, from: position, to: position + count)
  }

  /// The byte at a position that has been consumed.
  subscript(_ place: Int) -> UInt8 { bytes[place] }

  /// Whether the bytes at a position that has been consumed are UTF-8.
  func isText(_ place: Range<Int>) -> Bool {
    (try? UTF8Span(validating: bytes.span.extracting(place))) != nil
  }
}
