/// A datagram whose bytes have all been checked. No other code reads a datagram before this check.
///
/// It is accepted or refused as a whole: if one element of a bundle is bad, none of its messages counts. The check builds no
/// messages. liblo then reads them at the positions that the check has found.
package struct OSCDatagram: Sendable {
  /// The length of the longest datagram that is read or sent, in bytes.
  package static let lengthLimit = 8192
  /// How deeply bundles may be nested, the outermost included, and arrays within a message.
  package static let nestingLimit = 4
  /// How many messages and bundles the bundles of a datagram may contain, all levels together.
  package static let elementLimit = 64
  /// The length of the longest address, in bytes.
  package static let addressLimit = 256

  /// The position of a message in the datagram, and the time of the innermost bundle around it.
  private struct Element {
    let place: Range<Int>
    let address: Range<Int>
    let time: OSCTime?
    /// nil for an address without type tags. Some senders omit them in a message without arguments.
    let content: Content?

    struct Content {
      /// The letters after the comma.
      let tags: Range<Int>
      /// The position of the first argument.
      let start: Int
      let argumentCount: Int

      /// Whether the tags contain brackets.
      var hasArrays: Bool { tags.count != argumentCount }
    }
  }

  /// Whether all of its messages have type tags.
  package var hasTypeTags: Bool { messageElements.allSatisfy { $0.content != nil } }

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

  /// - Throws: `OSCFault` if liblo does not read the arguments that were checked.
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
    guard let content = element.content else { return OSCMessage(address, time: element.time) }
    let arguments =
      content.hasArrays
      ? flattened(element, content).withUnsafeBytes { LibloReader.arguments(of: $0) }
      : bytes.withUnsafeBytes { bytes in
        LibloReader.arguments(of: UnsafeRawBufferPointer(rebasing: bytes[element.place]))
      }
    guard let arguments, arguments.count == content.argumentCount else {
      throw OSCFault(address: address, reason: "its arguments are ambiguous")
    }
    return OSCMessage(address, arguments: arguments, time: element.time)
  }

  /// The message with the elements of its arrays as arguments, because liblo reads no arrays.
  private func flattened(_ element: Element, _ content: Element.Content) -> [UInt8] {
    var message = Array(bytes[element.place.lowerBound..<content.tags.lowerBound])
    message += bytes[content.tags].filter { !Self.isBracket($0) }
    message += [UInt8](repeating: 0, count: 4 - message.count % 4)
    return message + bytes[content.start..<element.place.upperBound]
  }

  private static func isBracket(_ tag: UInt8) -> Bool { tag == UInt8(ascii: "[") || tag == UInt8(ascii: "]") }

  private mutating func checkElement(_ reader: inout OSCReader, time: OSCTime?, depth: Int) throws(OSCFault) {
    if reader.next == UInt8(ascii: "#") {
      try checkBundle(&reader, depth: depth + 1)
    } else {
      try checkMessage(&reader, time: time)
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

  private mutating func checkMessage(_ reader: inout OSCReader, time: OSCTime?) throws(OSCFault) {
    let start = reader.position
    let address = try Self.checkAddress(&reader)
    var content: Element.Content?
    do throws(OSCFault) {
      if reader.remaining > 0 {
        guard reader.next == UInt8(ascii: ","), let tags = reader.terminated()?.dropFirst() else {
          throw OSCFault(reason: "type tags must follow the address: a comma and a letter for each argument")
        }
        let start = reader.position
        let count = try Self.checkArguments(tags, &reader)
        content = Element.Content(tags: tags, start: start, argumentCount: count)
      }
      guard reader.remaining == 0 else {
        throw OSCFault(reason: "\(reader.remaining) more bytes than the type tags need")
      }
    } catch {
      throw OSCFault(address: String(decoding: bytes[address], as: UTF8.self), reason: error.reason)
    }
    messageElements.append(
      Element(place: start..<reader.position, address: address, time: time, content: content))
  }

  /// - Returns: how many arguments there are, without the brackets of arrays.
  private static func checkArguments(
    _ tags: Range<Int>, _ reader: inout OSCReader
  ) throws(OSCFault) -> Int {
    var (count, depth) = (0, 0)
    for place in tags {
      do throws(OSCFault) {
        switch UnicodeScalar(reader[place]) {
        case "[":
          depth += 1
          guard depth <= nestingLimit else {
            throw OSCFault(reason: "arrays nested deeper than \(nestingLimit)")
          }
        case "]":
          depth -= 1
          guard depth >= 0 else { throw OSCFault(reason: "] without [") }
        default:
          try reader.checkArgument(tag: reader[place])
          count += 1
        }
      } catch {
        throw OSCFault(reason: "argument \(count + 1): \(error.reason)")
      }
    }
    guard depth == 0 else { throw OSCFault(reason: "[ without ]") }
    return count
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
  /// Reads a timetag from its 64 bits on the wire: the seconds in the upper half.
  init(_ raw: UInt64) {
    self.init(seconds: UInt32(truncatingIfNeeded: raw >> 32), fraction: UInt32(truncatingIfNeeded: raw))
  }
}
