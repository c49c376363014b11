import OSC

/// A reference parser of datagrams that shares no code with `OSC` and liblo, for comparison with them.
package struct ReferenceDatagram {
  /// The longest datagram that is read or sent, in bytes.
  private static let lengthLimit = 8192
  /// The deepest allowed nesting of bundles, including the outermost.
  private static let nestingLimit = 4
  /// The largest number of messages and bundles within a datagram's bundles, on all levels together.
  private static let elementLimit = 64
  /// The longest address, in bytes.
  private static let addressLimit = 256

  /// The messages in order, each with the time of the innermost bundle around it.
  package private(set) var messages: [OSCMessage] = []
  /// False for an address without type tags, as some old senders write a message without arguments.
  package private(set) var hasTypeTags = true

  private var elements = 0

  /// Reads a datagram.
  ///
  /// - Throws: `OSCFault` with the reason, and the address where it was read before the fault.
  /// - Thread: any. Never traps, whatever the bytes.
  package init(_ bytes: [UInt8]) throws(OSCFault) {
    guard bytes.count <= Self.lengthLimit else {
      throw OSCFault(reason: "datagram of \(bytes.count) bytes: at most \(Self.lengthLimit) are read")
    }
    guard bytes.count.isMultiple(of: 4), !bytes.isEmpty else {
      throw OSCFault(reason: "datagram of \(bytes.count) bytes: the length must be a multiple of 4, from 4")
    }
    var reader = ReferenceReader(bytes)
    try readElement(&reader, time: nil, depth: 0)
  }

  private mutating func readElement(_ reader: inout ReferenceReader, time: OSCTime?, depth: Int)
    throws(OSCFault)
  {
    if reader.next == UInt8(ascii: "#") {
      try readBundle(&reader, depth: depth + 1)
    } else {
      try readMessage(&reader, time: time)
    }
  }

  private mutating func readBundle(_ reader: inout ReferenceReader, depth: Int) throws(OSCFault) {
    guard depth <= Self.nestingLimit else {
      throw OSCFault(reason: "bundles nested deeper than \(Self.nestingLimit)")
    }
    guard reader.begins(with: "#bundle\0"), reader.longWord() != nil, let raw = reader.longWord() else {
      throw OSCFault(reason: "a bundle must begin with #bundle and a timetag")
    }
    let time = OSCTime(seconds: UInt32(raw >> 32), fraction: UInt32(truncatingIfNeeded: raw))
    while reader.remaining > 0 {
      guard let length = reader.word(), length > 0, length.isMultiple(of: 4),
        var element = reader.part(Int(length))
      else {
        throw OSCFault(reason: "a bundle element's length must be a multiple of 4, from 4, within the bundle")
      }
      elements += 1
      guard elements <= Self.elementLimit else {
        throw OSCFault(reason: "more than \(Self.elementLimit) elements in a datagram's bundles")
      }
      try readElement(&element, time: time.isImmediate ? nil : time, depth: depth)
    }
  }

  private mutating func readMessage(_ reader: inout ReferenceReader, time: OSCTime?) throws(OSCFault) {
    let address = try Self.readAddress(&reader)
    var arguments: [OSCArgument] = []
    if reader.remaining == 0 {
      hasTypeTags = false
    } else {
      guard reader.next == UInt8(ascii: ","), let tags = reader.terminated()?.dropFirst() else {
        throw OSCFault(
          address: address,
          reason: "type tags must follow the address: a comma and a letter for each argument")
      }
      arguments.reserveCapacity(tags.count)
      var open = 0
      for tag in tags {
        do throws(OSCFault) {
          if tag == UInt8(ascii: "[") {
            open += 1
            if open > Self.nestingLimit {
              throw OSCFault(reason: "arrays nested deeper than \(Self.nestingLimit)")
            }
          } else if tag == UInt8(ascii: "]") {
            if open == 0 { throw OSCFault(reason: "] without [") }
            open -= 1
          } else {
            arguments.append(try OSCArgument(referenceTag: tag, from: &reader))
          }
        } catch {
          throw OSCFault(address: address, reason: "argument \(arguments.count + 1): \(error.reason)")
        }
      }
      if open > 0 { throw OSCFault(address: address, reason: "[ without ]") }
    }
    guard reader.remaining == 0 else {
      throw OSCFault(address: address, reason: "\(reader.remaining) more bytes than the type tags need")
    }
    messages.append(OSCMessage(address, arguments: arguments, time: time))
  }

  private static func readAddress(_ reader: inout ReferenceReader) throws(OSCFault) -> String {
    guard reader.next == UInt8(ascii: "/") else { throw OSCFault(reason: "an address must begin with /") }
    guard let bytes = reader.terminated() else {
      throw OSCFault(reason: "an address must end in zeros, up to a multiple of 4")
    }
    guard bytes.count <= addressLimit else {
      throw OSCFault(reason: "address of \(bytes.count) bytes: at most \(addressLimit) are read")
    }
    guard bytes.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }) else {
      throw OSCFault(reason: "an address must be printable ASCII without space and #")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A position in a datagram, and an end that it never passes.
///
/// Invariant: 0 ≤ `position` ≤ `end` ≤ `bytes.count`, so no sum of them can overflow. A read of incomplete data returns nil
/// and does not move the position.
private struct ReferenceReader {
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

  /// The byte that comes next, without taking it.
  var next: UInt8? { position < end ? bytes[position] : nil }

  /// Whether these bytes come next, without taking them.
  func begins(with prefix: StaticString) -> Bool {
    guard prefix.utf8CodeUnitCount <= remaining else { return false }
    return (0..<prefix.utf8CodeUnitCount).allSatisfy { bytes[position + $0] == prefix.utf8Start[$0] }
  }

  /// Takes a 32-bit big-endian word.
  mutating func word() -> UInt32? {
    guard remaining >= 4 else { return nil }
    defer { position += 4 }
    return bytes[position..<position + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Takes a 64-bit big-endian word.
  mutating func longWord() -> UInt64? {
    guard remaining >= 8, let high = word(), let low = word() else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }

  /// Reads bytes that are followed by zeros up to a multiple of 4.
  mutating func padded(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= remaining else { return nil }
    let padding = (4 - count % 4) % 4
    guard padding <= remaining - count else { return nil }
    let payload = bytes[position..<position + count]
    guard bytes[payload.endIndex..<payload.endIndex + padding].allSatisfy({ $0 == 0 }) else { return nil }
    position += count + padding
    return payload
  }

  /// Reads bytes up to a zero, and the zeros that pad them to a multiple of 4.
  mutating func terminated() -> ArraySlice<UInt8>? {
    guard let zero = bytes[position..<end].firstIndex(of: 0) else { return nil }
    return padded(zero + 1 - position)?.dropLast()
  }

  /// Reads the next bytes as a separate datagram.
  mutating func part(_ count: Int) -> ReferenceReader? {
    guard count >= 0, count <= remaining else { return nil }
    defer { position += count }
    return ReferenceReader(bytes, from: position, to: position + count)
  }
}

extension OSCArgument {
  /// Reads the argument that a type tag announces.
  ///
  /// - Throws: `OSCFault` if the type is unknown, bytes are missing, or the value is invalid (not a number, infinite,
  ///   not UTF-8).
  fileprivate init(referenceTag tag: UInt8, from reader: inout ReferenceReader) throws(OSCFault) {
    switch UnicodeScalar(tag) {
    case "i": self = .int32(Int32(bitPattern: try Self.need(reader.word())))
    case "h": self = .int64(Int64(bitPattern: try Self.need(reader.longWord())))
    case "f":
      let value = Float(bitPattern: try Self.need(reader.word()))
      guard value.isFinite else { throw OSCFault(reason: "\(value) must be a finite number") }
      self = .float(value)
    case "d":
      let value = Double(bitPattern: try Self.need(reader.longWord()))
      guard value.isFinite else { throw OSCFault(reason: "\(value) must be a finite number") }
      self = .double(value)
    case "s": self = .string(try Self.readText(&reader))
    case "S": self = .symbol(try Self.readText(&reader))
    case "b":
      let length = Int(try Self.need(reader.word()))
      guard let bytes = reader.padded(length) else {
        throw OSCFault(reason: "a blob of \(length) bytes, padded with zeros, doesn't fit the datagram")
      }
      self = .blob(Array(bytes))
    case "t":
      self = .timetag(OSCTime(seconds: try Self.need(reader.word()), fraction: try Self.need(reader.word())))
    case "c":
      let code = try Self.need(reader.word())
      guard code < 0x80 else { throw OSCFault(reason: "character \(code) must be ASCII, 0 to 127") }
      self = .char(UInt8(code))
    case "m": self = .midi(try Self.need(reader.word()))
    case "T": self = .true
    case "F": self = .false
    case "N": self = .nil
    case "I": self = .impulse
    case let scalar:
      let name = (0x21...0x7e).contains(tag) ? String(scalar) : "\(tag)"
      throw OSCFault(reason: "unknown type \(name): must be one of ihfdsSbtcmTFNI")
    }
  }

  private static func need<Word>(_ word: Word?) throws(OSCFault) -> Word {
    guard let word else { throw OSCFault(reason: "the datagram ends before it") }
    return word
  }

  private static func readText(_ reader: inout ReferenceReader) throws(OSCFault) -> String {
    guard let bytes = reader.terminated() else {
      throw OSCFault(reason: "a string must end in zeros, up to a multiple of 4")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw OSCFault(reason: "a string must be UTF-8")
    }
    return text
  }
}
