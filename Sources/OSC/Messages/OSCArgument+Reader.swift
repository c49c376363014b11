extension OSCArgument {
  /// Takes the argument that a type tag announces.
  ///
  /// - Throws: `OSCFault` when the type is unknown, its bytes aren't all there, or the value is none (not a number,
  ///   infinite, not UTF-8).
  init(tag: UInt8, from reader: inout OSCReader) throws(OSCFault) {
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
    case "t": self = .timetag(OSCTime(try Self.need(reader.longWord())))
    case "c":
      let code = try Self.need(reader.word())
      guard code < 0x80 else { throw OSCFault(reason: "character \(code) must be ASCII, 0 to 127") }
      self = .char(UInt8(code))
    case "m": self = .midi(try Self.need(reader.word()))
    case "T": self = .true
    case "F": self = .false
    case "N": self = .nil
    case "I": self = .impulse
    case "[", "]": throw OSCFault(reason: "arrays are not read")
    case let scalar:
      let name = (0x21...0x7e).contains(tag) ? String(scalar) : "\(tag)"
      throw OSCFault(reason: "unknown type \(name): must be one of ihfdsSbtcmTFNI")
    }
  }

  private static func need<Word>(_ word: Word?) throws(OSCFault) -> Word {
    guard let word else { throw OSCFault(reason: "the datagram ends before it") }
    return word
  }

  private static func readText(_ reader: inout OSCReader) throws(OSCFault) -> String {
    guard let bytes = reader.terminated() else {
      throw OSCFault(reason: "a string must end in zeros, up to a multiple of 4")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw OSCFault(reason: "a string must be UTF-8")
    }
    return text
  }
}
