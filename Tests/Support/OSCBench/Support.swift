import Dispatch
import Glibc
import OSC
import Synchronization

/// Values that arrive on another thread; waits for them with a deadline.
package final class Arrivals<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let arrived = DispatchSemaphore(value: 0)

  package func add(_ value: Value) {
    values.withLock { $0.append(value) }
    arrived.signal()
  }

  package init() {}

  /// The oldest value that was not taken yet; nil after a minute.
  package func next() -> Value? {
    guard arrived.wait(timeout: .now() + 60) == .success else { return nil }
    return values.withLock { $0.removeFirst() }
  }

  package var isEmpty: Bool { values.withLock { $0.isEmpty } }
}

/// A program that sends and receives raw OSC datagrams at its own address.
package final class Peer {
  package let descriptor: Int32
  package let path: String?

  /// A UDP peer at a free port of an address of this machine.
  package init(address: String = "127.0.0.1") {
    path = nil
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var name = Self.name(port: 0)
    inet_pton(AF_INET, address, &name.sin_addr)
    _ = Self.cast(&name) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    prepare()
  }

  /// A peer on a UNIX socket; without a path it cannot be answered.
  package init(unix path: String?) {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    if let path {
      var name = Self.name(path: path)
      _ = Self.cast(&name) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    prepare()
  }

  deinit {
    close(descriptor)
    if let path { unlink(path) }
  }

  package var port: UInt16 {
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = Self.cast(&name) { getsockname(descriptor, $0, &size) }
    return UInt16(bigEndian: name.sin_port)
  }

  package func send(_ bytes: [UInt8], to port: UInt16) {
    var name = Self.name(port: port)
    _ = Self.cast(&name) {
      sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }

  package func send(_ bytes: [UInt8], to path: String) {
    var name = Self.name(path: path)
    _ = Self.cast(&name) {
      sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }

  /// The messages of the next datagram; nil after a minute. `lastPort` is the port that sent it.
  package func receive() -> [OSCMessage]? {
    var bytes = [UInt8](repeating: 0, count: 65536)
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = Self.cast(&name) { recvfrom(descriptor, &bytes, bytes.count, 0, $0, &size) }
    guard count > 0 else { return nil }
    lastPort = UInt16(bigEndian: name.sin_port)
    return try? OSCDatagram(Array(bytes[..<count])).messages
  }

  /// Whether a datagram can be received.
  package var isAddressed: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) == 1
  }

  package private(set) var lastPort: UInt16 = 0

  private func prepare() {
    var deadline = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &deadline, socklen_t(MemoryLayout<timeval>.size))
    // Tests read only after they have sent: all values twice, with long texts, exceed the kernel's default of 208 KiB.
    var room: Int32 = 1 << 22
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func name(port: UInt16) -> sockaddr_in {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return name
  }

  private static func name(path: String) -> sockaddr_un {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    return name
  }

  private static func cast<Name, Result>(
    _ name: inout Name, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  )
    -> Result
  {
    withUnsafeMutablePointer(to: &name) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
  }
}

/// A server on a free port of loopback, and the messages that reached it.
package struct TestServer {
  package let server: OSCServer
  package let messages = Arrivals<(OSCMessage, OSCPeer)>()
  package let faults = Arrivals<(OSCFault, OSCPeer)>()
  package let port: UInt16

  package init(_ change: (inout OSCServer.Configuration) -> Void = { _ in }) throws {
    var configuration = OSCServer.Configuration()
    configuration.port = 0
    change(&configuration)
    server = OSCServer(
      configuration,
      onMessages: { [messages] received, peer, _ in for message in received { messages.add((message, peer)) }
      },
      onFault: { [faults] in faults.add(($0, $1)) })
    try server.start()
    port = server.port ?? 0
  }
}

/// A path that no other test uses.
package func freshPath() -> String { "/tmp/tactus-osc-\(getpid())-\(UInt32.random(in: 0 ... .max))" }

/// A string as OSC pads it.
package func padded(_ text: String) -> [UInt8] {
  let bytes = Array(text.utf8)
  return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
}

/// A big-endian word.
package func word(_ value: UInt32) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
}

/// A message from its parts.
package func message(_ address: String, _ tags: String = "", _ payload: [UInt8] = []) -> [UInt8] {
  padded(address) + padded("," + tags) + payload
}

/// A bundle of elements, each with its length before it.
package func bundle(_ time: OSCTime = .immediate, _ elements: [UInt8]...) -> [UInt8] {
  elements.reduce(padded("#bundle") + word(time.seconds) + word(time.fraction)) {
    $0 + word(UInt32($1.count)) + $1
  }
}

/// Valid datagrams of every kind.
package let corpus: [[UInt8]] = [
  message("/a"), padded("/tap"), message("/tempo", "f", word(Float(133.7).bitPattern)),
  message("/all", "ihfdsSbtcmTFNI", everyArgument), message("/locate", "iif", word(1) + word(2) + word(0)),
  message("/{a,b}/[!x-z]*?", "s", padded("grüße")),
  message("/blob", "bb", word(0) + word(5) + [1, 2, 3, 4, 5, 0, 0, 0]),
  bundle(), bundle(.immediate, message("/a"), message("/b", "i", word(7))),
  bundle(
    OSCTime(seconds: 4_000_000_000, fraction: 1 << 31), message("/a"), bundle(.immediate, message("/b"))),
  bundle(.immediate, bundle(.immediate, bundle(.immediate, bundle(.immediate, message("/deep", "T"))))),
  message("/array", "[i[f]]s", word(1) + word(Float(0.5).bitPattern) + padded("x")),
  bundle(.immediate, padded("/tap"), message("/meter", "[ii]", word(7) + word(8))),
]

private let everyArgument: [UInt8] =
  word(UInt32(bitPattern: -7)) + word(0x0102_0304) + word(0x0506_0708) + word(Float(1.5).bitPattern)
  + word(0x4009_21fb) + word(0x5444_2d18) + padded("text") + padded("name") + word(3) + [9, 8, 7, 0]
  + word(4_000_000_000) + word(5) + word(0x41) + [0, 0x90, 60, 100]

extension OSCTime {
  package static var now: OSCTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return OSCTime(unixNanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
