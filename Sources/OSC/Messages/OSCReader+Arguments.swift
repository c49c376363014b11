extension OSCReader {
  /// Skips the argument of a type tag, and checks it.
  ///
  /// - Throws: `OSCFault` if the type is unknown, if bytes are missing, or if the value is not a finite number or not UTF-8.
  mutating func checkArgument(tag: UInt8) throws(OSCFault) {
    switch UnicodeScalar(tag) {
    case "i", "m": _ = try OSCReader.need(word())
    case "h", "t": _ = try OSCReader.need(longWord())
    case "f":
      let value = Float(bitPattern: try OSCReader.need(word()))
      guard value.isFinite else { throw OSCFault(reason: "\(value) must be a finite number") }
    case "d":
      let value = Double(bitPattern: try OSCReader.need(longWord()))
      guard value.isFinite else { throw OSCFault(reason: "\(value) must be a finite number") }
    case "s", "S":
      guard let place = terminated() else {
        throw OSCFault(reason: "a string must end in zeros, up to a multiple of 4")
      }
      guard isText(place) else { throw OSCFault(reason: "a string must be UTF-8") }
    case "b":
      let length = Int(try OSCReader.need(word()))
      guard padded(length) != nil else {
        throw OSCFault(reason: "a blob of \(length) bytes, padded with zeros, doesn't fit the datagram")
      }
    case "c":
      let code = try OSCReader.need(word())
      guard code < 0x80 else { throw OSCFault(reason: "character \(code) must be ASCII, 0 to 127") }
    case "T", "F", "N", "I": break
    case let scalar:
      let name = (0x21...0x7e).contains(tag) ? String(scalar) : "\(tag)"
      throw OSCFault(reason: "unknown type \(name): must be one of ihfdsSbtcmTFNI")
    }
  }

  private static func need<Word>(_ word: Word?) throws(OSCFault) -> Word {
    guard let word else { throw OSCFault(reason: "the datagram ends before it") }
    return word
  }
}
