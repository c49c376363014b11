/// A datagram that has been checked from its first byte to its last. Nothing else sees one before that.
///
/// It is refused whole: if one element of a bundle is bad, none of its messages counts. The check builds nothing; liblo then
/// reads the messages at the places that the check has found.
package struct OSCDatagram: Sendable {
  /// The longest datagram that is read or sent, in bytes.
  package static let lengthLimit = 8192
  /// How deep bundles may lie in one another, the outermost counted.
  package static let nestingLimit = 4
  /// How many messages and bundles may lie in a datagram's bundles, all levels together.
  package static let elementLimit = 64
  /// The longest address, in bytes.
  package static let addressLimit = 256

  /// Where a message lies in the datagram, and the time of the innermost bundle around it.
  private struct Element {
    let place: Range<Int>
    let address: Range<Int>
    let argumentCount: Int
    let time: OSCTime?
  }

  /// False for a lone address without type tags. Some old senders write that for a message without arguments.
  package private(set) var hasTypeTags = true

  private let bytes: [UInt8]
  private var messageElements: [Element] = []
  private var elementCount = 0

  /// Checks a datagram.
  ///
  /// - Throws: `OSCFault` with the reason, and with the address if that was read before the fault.
  /// - Thread: any. Never traps, whatever the bytes.
  package init(_ bytes: [UInt8]) throws(OSCFault) {
    self.bytes = bytes
    guard bytes.count <= Self.lengthLimit else {
      throw OSCFault(reason: "datagram of \(bytes.count) bytes: at most \(Self.lengthLimit) are read")
    }
    guard bytes.count.isMultiple(of: 4), !bytes.isEmpty else {
      throw OSCFault(reason: "datagram of \(bytes.count) bytes: the length must be a multiple of 4, from 4")
    }
    var reader = OSCReader(bytes)
    try checkElement(&reader, time: nil, depth: 0)
  }

  /// The messages in their order, as liblo reads them, each with the time of the innermost bundle around it.
  ///
  /// - Throws: `OSCFault` if liblo reads anything else than was checked.
  package var messages: [OSCMessage] {
    get throws(OSCFault) {
      var messages: [OSCMessage] = []
      messages.reserveCapacity(messageElements.count)
      for element in messageElements { messages.append(try read(element)) }
      return messages
    }
  }

  private func read(_ element: Element) throws(OSCFault) -> OSCMessage {
    let address = String(decoding: bytes[element.address], as: UTF8.self)
    // liblo reads no message without type tags.
    guard hasTypeTags else { return OSCMessage(address, time: element.time) }
    let arguments = bytes.withUnsafeBytes { bytes in
      LibloReader.arguments(of: UnsafeRawBufferPointer(rebasing: bytes[element.place]))
    }
    guard let arguments, arguments.count == element.argumentCount else {
      throw OSCFault(address: address, reason: "the datagram can be read in two ways")
    }
    return OSCMessage(address, arguments: arguments, time: element.time)
  }

  private mutating func checkElement(_ reader: inout OSCReader, time: OSCTime?, depth: Int) throws(OSCFault) {
    if reader.next == UInt8(ascii: "#") {
      try checkBundle(&reader, depth: depth + 1)
    } else {
      try checkMessage(&reader, time: time, isAlone: depth == 0)
    }
  }

  private mutating func checkBundle(_ reader: inout OSCReader, depth: Int) throws(OSCFault) {
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
      elementCount += 1
      guard elementCount <= Self.elementLimit else {
        throw OSCFault(reason: "more than \(Self.elementLimit) elements in a datagram's bundles")
      }
      try checkElement(&element, time: time.isImmediate ? nil : time, depth: depth)
    }
  }

  private mutating func checkMessage(_ reader: inout OSCReader, time: OSCTime?, isAlone: Bool)
    throws(OSCFault)
  {
    let start = reader.position
    let address = try Self.checkAddress(&reader)
    var argumentCount = 0
    do throws(OSCFault) {
      if reader.remaining == 0, isAlone {
        hasTypeTags = false
      } else {
        guard reader.next == UInt8(ascii: ","), let tags = reader.terminated()?.dropFirst() else {
          throw OSCFault(reason: "type tags must follow the address: a comma and a letter for each argument")
        }
        try Self.checkArguments(tags, &reader)
        argumentCount = tags.count
      }
      guard reader.remaining == 0 else {
        throw OSCFault(reason: "\(reader.remaining) bytes more than the type tags say")
      }
    } catch {
      throw OSCFault(address: String(decoding: bytes[address], as: UTF8.self), reason: error.reason)
    }
    messageElements.append(
      Element(place: start..<reader.position, address: address, argumentCount: argumentCount, time: time))
  }

  private static func checkArguments(_ tags: Range<Int>, _ reader: inout OSCReader) throws(OSCFault) {
    for place in tags {
      do {
        try reader.checkArgument(tag: reader[place])
      } catch {
        throw OSCFault(reason: "argument \(place - tags.lowerBound + 1): \(error.reason)")
      }
    }
  }

  private static func checkAddress(_ reader: inout OSCReader) throws(OSCFault) -> Range<Int> {
    guard reader.next == UInt8(ascii: "/") else { throw OSCFault(reason: "an address must begin with /") }
    guard let place = reader.terminated() else {
      throw OSCFault(reason: "an address must end in zeros, up to a multiple of 4")
    }
    guard place.count <= addressLimit else {
      throw OSCFault(reason: "address of \(place.count) bytes: at most \(addressLimit) are read")
    }
    for index in place where !(0x21...0x7e).contains(reader[index]) || reader[index] == UInt8(ascii: "#") {
      throw OSCFault(reason: "an address must be printable ASCII without space and #")
    }
    return place
  }
}

extension OSCTime {
  /// The timetag as the 64 bits it travels as.
  init(_ raw: UInt64) {
    self.init(seconds: UInt32(truncatingIfNeeded: raw >> 32), fraction: UInt32(truncatingIfNeeded: raw))
  }
}
