/// A datagram that has been checked from its first byte to its last: what every one must pass before anything else
/// sees it.
///
/// It is refused whole: one bad element of a bundle and none of its messages counts.
public struct OSCDatagram: Sendable {
  /// The longest datagram that is read or sent, in bytes.
  public static let lengthLimit = 8192
  /// How deep bundles may lie in one another, the outermost counted.
  public static let nestingLimit = 4
  /// How many messages and bundles may lie in a datagram's bundles, all levels together.
  public static let elementLimit = 64
  /// The longest address, in bytes.
  public static let addressLimit = 256

  /// The messages in the order they stand, each with the time of the innermost bundle around it.
  public private(set) var messages: [OSCMessage] = []
  /// False for a lone address without type tags, which is what some old senders write for a message without arguments.
  public private(set) var hasTypeTags = true

  private var elements = 0

  /// Reads a datagram.
  ///
  /// - Throws: `OSCFault` with the reason, and the address where it was read before the fault.
  /// - Thread: any. Never traps, whatever the bytes.
  public init(_ bytes: [UInt8]) throws(OSCFault) {
    guard bytes.count <= Self.lengthLimit else {
      throw OSCFault(reason: "datagram of \(bytes.count) bytes: at most \(Self.lengthLimit) are read")
    }
    guard bytes.count.isMultiple(of: 4), !bytes.isEmpty else {
      throw OSCFault(reason: "datagram of \(bytes.count) bytes: the length must be a multiple of 4, from 4")
    }
    var reader = OSCReader(bytes)
    try readElement(&reader, time: nil, depth: 0)
  }

  private mutating func readElement(_ reader: inout OSCReader, time: OSCTime?, depth: Int) throws(OSCFault) {
    if reader.next == UInt8(ascii: "#") {
      try readBundle(&reader, depth: depth + 1)
    } else {
      try readMessage(&reader, time: time, isAlone: depth == 0)
    }
  }

  private mutating func readBundle(_ reader: inout OSCReader, depth: Int) throws(OSCFault) {
    guard depth <= Self.nestingLimit else {
      throw OSCFault(reason: "bundles nested deeper than \(Self.nestingLimit)")
    }
    guard reader.begins(with: "#bundle\0"), reader.longWord() != nil, let raw = reader.longWord() else {
      throw OSCFault(reason: "a bundle must begin with #bundle and a timetag")
    }
    let time = OSCTime(raw)
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

  private mutating func readMessage(_ reader: inout OSCReader, time: OSCTime?, isAlone: Bool) throws(OSCFault)
  {
    let address = try Self.readAddress(&reader)
    var arguments: [OSCArgument] = []
    if reader.remaining == 0, isAlone {
      hasTypeTags = false
    } else {
      guard reader.next == UInt8(ascii: ","), let tags = reader.terminated()?.dropFirst() else {
        throw OSCFault(
          address: address,
          reason: "type tags must follow the address: a comma and a letter for each argument")
      }
      arguments.reserveCapacity(tags.count)
      for tag in tags {
        do {
          arguments.append(try OSCArgument(tag: tag, from: &reader))
        } catch {
          throw OSCFault(address: address, reason: "argument \(arguments.count + 1): \(error.reason)")
        }
      }
    }
    guard reader.remaining == 0 else {
      throw OSCFault(address: address, reason: "\(reader.remaining) bytes more than the type tags say")
    }
    messages.append(OSCMessage(address, arguments: arguments, time: time))
  }

  private static func readAddress(_ reader: inout OSCReader) throws(OSCFault) -> String {
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

extension OSCTime {
  /// The timetag as the 64 bits it travels as.
  init(_ raw: UInt64) {
    self.init(seconds: UInt32(truncatingIfNeeded: raw >> 32), fraction: UInt32(truncatingIfNeeded: raw))
  }
}
