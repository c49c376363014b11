import OSC

/// How datagrams are separated on a TCP connection.
enum StreamFraming {
  /// OSC 1.1: byte 192 ends each datagram, and special bytes are escaped (SLIP, RFC 1055).
  case slip
  /// OSC 1.0: the length in four bytes precedes each datagram.
  case lengths

  /// Detects the framing from the first byte of a connection; nil for another protocol, such as HTTP.
  init?(firstByte: UInt8) {
    switch firstByte {
    case StreamFraming.end, UInt8(ascii: "/"), UInt8(ascii: "#"): self = .slip
    // The first byte of a length is 0, because datagrams have at most 8192 bytes.
    case 0: self = .lengths
    default: return nil
    }
  }

  fileprivate static let end: UInt8 = 192
  fileprivate static let escape: UInt8 = 219
  fileprivate static let escapedEnd: UInt8 = 220
  fileprivate static let escapedEscape: UInt8 = 221

  /// The bytes that are sent for a datagram.
  func framed(_ datagram: [UInt8]) -> [UInt8] {
    switch self {
    case .lengths:
      let count = UInt32(datagram.count)
      return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) } + datagram
    case .slip:
      var bytes = [StreamFraming.end]
      bytes.reserveCapacity(datagram.count + 16)
      for byte in datagram {
        switch byte {
        case StreamFraming.end: bytes += [StreamFraming.escape, StreamFraming.escapedEnd]
        case StreamFraming.escape: bytes += [StreamFraming.escape, StreamFraming.escapedEscape]
        default: bytes.append(byte)
        }
      }
      bytes.append(StreamFraming.end)
      return bytes
    }
  }
}

/// Splits a stream of bytes into datagrams. It never stores more than the longest datagram.
struct StreamReader {
  /// The stream is invalid. The start of the next datagram is unknown, so the connection must be closed.
  struct Fault: Error, Equatable {}

  let framing: StreamFraming
  private var datagram: [UInt8] = []
  private var isEscaped = false
  /// The bytes of a length that have been read.
  private var length: [UInt8] = []
  /// How many bytes of the datagram are still missing; nil while a length is read.
  private var rest: Int?

  init(_ framing: StreamFraming) { self.framing = framing }

  /// Reads the next bytes.
  /// - Parameter handle: called with each complete datagram.
  /// - Throws: `Fault` for a datagram that is too long or has an invalid escape.
  mutating func read(_ bytes: some Sequence<UInt8>, _ handle: ([UInt8]) -> Void) throws(Fault) {
    for byte in bytes {
      let done =
        switch framing {
        case .slip: try takeEscaped(byte)
        case .lengths: try takeCounted(byte)
        }
      guard done else { continue }
      if !datagram.isEmpty { handle(datagram) }
      datagram = []
    }
  }

  /// - Returns: whether a datagram has ended.
  private mutating func takeEscaped(_ byte: UInt8) throws(Fault) -> Bool {
    if isEscaped {
      isEscaped = false
      switch byte {
      case StreamFraming.escapedEnd: try append(StreamFraming.end)
      case StreamFraming.escapedEscape: try append(StreamFraming.escape)
      default: throw Fault()
      }
      return false
    }
    switch byte {
    case StreamFraming.end: return true
    case StreamFraming.escape: isEscaped = true
    default: try append(byte)
    }
    return false
  }

  private mutating func takeCounted(_ byte: UInt8) throws(Fault) -> Bool {
    if let rest {
      try append(byte)
      self.rest = rest > 1 ? rest - 1 : nil
      return rest == 1
    }
    length.append(byte)
    guard length.count == 4 else { return false }
    let count = length.reduce(0) { $0 << 8 | Int($1) }
    length = []
    guard count <= WebLimits.frame else { throw Fault() }
    rest = count > 0 ? count : nil
    return false
  }

  private mutating func append(_ byte: UInt8) throws(Fault) {
    guard datagram.count < WebLimits.frame else { throw Fault() }
    datagram.append(byte)
  }
}
