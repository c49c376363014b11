import CLiblo
import Glibc

/// liblo's server, given datagrams by hand: it parses them and calls back for each message.
///
/// Its own socket is replaced by ours at once, so that the server is to be found at our address alone. Bundles dated in
/// the future are delivered at once, with their time.
///
/// - Thread: osc.
package final class LibloReader {
  private let server: lo_server
  private var messages: [OSCMessage] = []

  /// - Parameter descriptor: the socket that takes the place of liblo's own.
  package init(replacingSocketBy descriptor: Int32) throws(OSCStartError) {
    // Port 0: the system picks a free one, for the moment until it is replaced.
    guard let server = lo_server_new_with_proto("0", LO_UDP, nil) else {
      throw OSCStartError(.system(0), "liblo can't make a server")
    }
    self.server = server
    guard dup3(descriptor, lo_server_get_socket_fd(server), O_CLOEXEC) >= 0 else {
      throw .system("OSC socket", errno)
    }
    lo_server_enable_queue(server, 0, 0)
    // One method takes every address. The reader is passed unretained: it owns the server, so it outlives every call.
    lo_server_add_method(server, nil, nil, catchAll, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { lo_server_free(server) }

  /// What liblo reads in a datagram that has been checked. The bytes are liblo's to change.
  package func parse(_ bytes: inout [UInt8]) -> [OSCMessage] {
    messages.removeAll(keepingCapacity: true)
    bytes.withUnsafeMutableBytes { _ = lo_server_dispatch_data(server, $0.baseAddress, $0.count) }
    return messages
  }

  fileprivate func take(_ address: String, _ tags: String, _ values: LibloArguments, _ message: lo_message) {
    let timetag = lo_message_get_timestamp(message)
    let time = OSCTime(seconds: timetag.sec, fraction: timetag.frac)
    let arguments = tags.utf8.enumerated().compactMap { index, tag in
      OSCArgument(tag: tag, value: values?[index])
    }
    messages.append(OSCMessage(address, arguments: arguments, time: time.isImmediate ? nil : time))
  }
}

private typealias LibloArguments = UnsafeMutablePointer<UnsafeMutablePointer<lo_arg>?>?

private let catchAll: lo_method_handler = { path, types, arguments, _, message, context in
  guard let path, let types, let message, let context else { return 0 }
  Unmanaged<LibloReader>.fromOpaque(context).takeUnretainedValue()
    .take(String(cString: path), String(cString: types), arguments, message)
  return 0
}

extension OSCArgument {
  /// Reads an argument as liblo hands it out: in the machine's byte order, at any alignment.
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
