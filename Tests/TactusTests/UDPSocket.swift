import Foundation

/// A UDP socket at a free port of an address of this machine.
final class UDPSocket: Sendable {
  private let descriptor: Int32

  /// - Parameter address: one of the machine's own, 127.0.0.1 or another.
  init(address: String = "127.0.0.1") {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var name = UDPSocket.name(address, port: 0)
    let result = UDPSocket.cast(&name) { bind(descriptor, $0, UDPSocket.size) }
    precondition(result == 0, "\(address) can't be bound")
  }

  deinit { close(descriptor) }

  var port: UInt16 {
    var name = sockaddr_in()
    var size = UDPSocket.size
    _ = UDPSocket.cast(&name) { getsockname(descriptor, $0, &size) }
    return UInt16(bigEndian: name.sin_port)
  }

  /// Sends to a port of 127.0.0.1; a datagram without room is lost.
  func send(_ bytes: [UInt8], to port: UInt16) {
    var name = UDPSocket.name("127.0.0.1", port: port)
    _ = UDPSocket.cast(&name) {
      sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, UDPSocket.size)
    }
  }

  /// Whether anything has come.
  var hasReceived: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) >= 0
  }

  private static let size = socklen_t(MemoryLayout<sockaddr_in>.size)

  private static func name(_ address: String, port: UInt16) -> sockaddr_in {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = inet_addr(address)
    return name
  }

  private static func cast<Result>(
    _ name: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &name) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
  }
}
