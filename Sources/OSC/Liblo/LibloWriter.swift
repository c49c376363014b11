import CLiblo
import Glibc

/// Encodes messages as datagrams, with liblo.
///
/// - Thread: any.
package enum LibloWriter {
  /// Calls `body` with the bytes of each datagram: one for each message if `time` is nil, else as few bundles as the limits of
  /// `OSCDatagram` permit. The bytes are valid during the call only.
  /// - Returns: how many messages were too long to be sent.
  package static func datagrams(
    for messages: [OSCMessage], at time: OSCTime?, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Int {
    let room = OSCDatagram.lengthLimit - (time == nil ? 0 : bundleHeader)
    var tooLong = 0
    var group: [OSCMessage] = []
    var size = 0
    for message in messages {
      let length = length(of: message) + (time == nil ? 0 : 4)
      guard length <= room else {
        tooLong += 1
        continue
      }
      guard let time else {
        withBytes(of: message, body)
        continue
      }
      if size + length > room || group.count == OSCDatagram.elementLimit {
        withBytes(of: group, at: time, body)
        group.removeAll()
        size = 0
      }
      group.append(message)
      size += length
    }
    if let time, !group.isEmpty { withBytes(of: group, at: time, body) }
    return tooLong
  }

  /// The length of `#bundle`, padded, and the timetag, in bytes.
  private static let bundleHeader = 16

  /// The encoded length of a message in bytes, without a bundle. Computed by the rules of OSC 1.0, because liblo knows only the
  /// length of a message that it has built.
  package static func length(of message: OSCMessage) -> Int {
    var size = textLength(message.address) + terminated(1 + message.arguments.count)
    for argument in message.arguments {
      switch argument {
      case .int32, .float, .char, .midi: size += 4
      case .int64, .double, .timetag: size += 8
      case .string(let text), .symbol(let text): size += textLength(text)
      case .blob(let bytes): size += 4 + (bytes.count + 3) / 4 * 4
      case .true, .false, .nil, .impulse: break
      }
    }
    return size
  }

  /// liblo writes a text only up to its first zero byte.
  private static func textLength(_ text: String) -> Int { terminated(text.withCString { Int(strlen($0)) }) }

  /// The length of `count` bytes with the one to four zeros that end a string.
  private static func terminated(_ count: Int) -> Int { count / 4 * 4 + 4 }

  private static func withBytes(of message: OSCMessage, _ body: (UnsafeRawBufferPointer) -> Void) {
    let made = make(message)
    defer { lo_message_free(made) }
    var size = 0
    guard let bytes = lo_message_serialise(made, message.address, nil, &size) else { return }
    defer { free(bytes) }
    body(UnsafeRawBufferPointer(start: bytes, count: size))
  }

  private static func withBytes(
    of messages: [OSCMessage], at time: OSCTime, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let bundle = lo_bundle_new(lo_timetag(sec: time.seconds, frac: time.fraction))
    defer { lo_bundle_free_recursive(bundle) }
    for message in messages { lo_bundle_add_message(bundle, message.address, make(message)) }
    var size = 0
    guard let bytes = lo_bundle_serialise(bundle, nil, &size) else { return }
    defer { free(bytes) }
    body(UnsafeRawBufferPointer(start: bytes, count: size))
  }

  private static func make(_ message: OSCMessage) -> lo_message? {
    let made = lo_message_new()
    for argument in message.arguments { add(argument, to: made) }
    return made
  }

  private static func add(_ argument: OSCArgument, to message: lo_message?) {
    switch argument {
    case .int32(let value): lo_message_add_int32(message, value)
    case .int64(let value): lo_message_add_int64(message, value)
    case .float(let value): lo_message_add_float(message, value)
    case .double(let value): lo_message_add_double(message, value)
    case .string(let text): lo_message_add_string(message, text)
    case .symbol(let text): lo_message_add_symbol(message, text)
    case .blob(let bytes):
      // `lo_blob_new` makes no blob without bytes. An empty blob consists of its length, 0.
      var empty: UInt32 = 0
      guard let blob = lo_blob_new(Int32(clamping: bytes.count), bytes) else {
        lo_message_add_blob(message, &empty)
        return
      }
      lo_message_add_blob(message, blob)
      lo_blob_free(blob)
    case .timetag(let time):
      lo_message_add_timetag(message, lo_timetag(sec: time.seconds, frac: time.fraction))
    case .char(let code): lo_message_add_char(message, CChar(bitPattern: code))
    case .midi(let word):
      var bytes = word.bigEndian
      _ = withUnsafeMutableBytes(of: &bytes) {
        lo_message_add_midi(message, $0.baseAddress?.assumingMemoryBound(to: UInt8.self))
      }
    case .true: lo_message_add_true(message)
    case .false: lo_message_add_false(message)
    case .nil: lo_message_add_nil(message)
    case .impulse: lo_message_add_infinitum(message)
    }
  }
}
