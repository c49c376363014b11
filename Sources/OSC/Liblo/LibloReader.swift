import CLiblo

/// Reads messages with liblo.
///
/// - Thread: any.
enum LibloReader {
  /// Reads the arguments of a message that has been checked. Does not change its bytes.
  /// - Returns: nil if liblo refuses the message, or finds an argument of an unknown type in it.
  static func arguments(of message: UnsafeRawBufferPointer) -> [OSCArgument]? {
    var result: Int32 = 0
    // liblo declares the bytes as mutable, but copies what it converts.
    guard let made = lo_message_deserialise(.init(mutating: message.baseAddress), message.count, &result)
    else { return nil }
    defer { lo_message_free(made) }
    let count = Int(lo_message_get_argc(made))
    guard count > 0 else { return [] }
    guard let tags = lo_message_get_types(made), let values = lo_message_get_argv(made) else { return nil }
    var arguments: [OSCArgument] = []
    arguments.reserveCapacity(count)
    for index in 0..<count {
      let tag = UInt8(bitPattern: tags[index])
      guard let argument = OSCArgument(tag: tag, value: values[index]) else { return nil }
      arguments.append(argument)
    }
    return arguments
  }
}

extension OSCArgument {
  /// Reads an argument as liblo returns it: in the machine's byte order, at any alignment.
  fileprivate init?(tag: UInt8, value: UnsafeMutablePointer<lo_arg>?) {
    switch UnicodeScalar(tag) {
    case "T": self = .true
    case "F": self = .false
    case "N": self = .nil
    case "I": self = .impulse
    case let scalar:
      guard let value else { return nil }
      let raw = UnsafeRawPointer(value)
      switch scalar {
      case "i": self = .int32(raw.loadUnaligned(as: Int32.self))
      case "h": self = .int64(raw.loadUnaligned(as: Int64.self))
      case "f": self = .float(raw.loadUnaligned(as: Float.self))
      case "d": self = .double(raw.loadUnaligned(as: Double.self))
      case "s": self = .string(String(cString: raw.assumingMemoryBound(to: UInt8.self)))
      case "S": self = .symbol(String(cString: raw.assumingMemoryBound(to: UInt8.self)))
      case "b":
        let count = Int(raw.loadUnaligned(as: Int32.self))
        self = .blob([UInt8](UnsafeRawBufferPointer(start: raw + 4, count: count)))
      case "t":
        let seconds = raw.loadUnaligned(as: UInt32.self)
        self = .timetag(OSCTime(seconds: seconds, fraction: (raw + 4).loadUnaligned(as: UInt32.self)))
      case "c": self = .char(UInt8(truncatingIfNeeded: raw.loadUnaligned(as: UInt32.self)))
      case "m": self = .midi(UInt32(bigEndian: raw.loadUnaligned(as: UInt32.self)))
      default: return nil
      }
    }
  }
}
