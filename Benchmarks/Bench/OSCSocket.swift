import Foundation
import TestBench

/// A UDP socket that sends OSC to a program on this machine, without a library, so that sending costs little.
struct OSCSocket: ~Copyable {
  let descriptor: Int32

  init(to port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard descriptor >= 0, result == 0 else { throw BenchError("no UDP socket") }
  }

  deinit { close(descriptor) }

  /// Returns whether the system accepted the message.
  @discardableResult
  func send(_ message: [UInt8]) -> Bool {
    Foundation.send(descriptor, message, message.count, 0) == message.count
  }

  /// A message with no argument or one number.
  static func message(_ address: String, _ value: Float? = nil) -> [UInt8] {
    func padded(_ text: String) -> [UInt8] {
      Array(text.utf8) + [UInt8](repeating: 0, count: 4 - text.utf8.count % 4)
    }
    guard let value else { return padded(address) + padded(",") }
    return padded(address) + padded(",f") + withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }
  }
}
