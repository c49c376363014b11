import Foundation
import Synchronization
import TestBench

/// A TCP connection to the web port. Each wait ends after two seconds.
final class WebConnection {
  let descriptor: Int32

  /// - Parameter address: one of this machine's; who connects to it comes from it.
  init?(port: UInt16, at address: String) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    (name.sin_family, name.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    name.sin_addr.s_addr = inet_addr(address)
    var limit = timeval(tv_sec: 2, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let code = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// - Returns: how many bytes were taken.
  @discardableResult
  func send(_ bytes: some Collection<UInt8>, flags: Int = 0) -> Int {
    let bytes = Array(bytes)
    return max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(flags)))
  }

  /// What has come, up to 64 kB; empty at the end of the connection.
  func receive(flags: Int = 0) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, Int32(flags))
    return Array(bytes.prefix(max(0, count)))
  }

  /// Everything until the server has closed the connection.
  func receiveAll() -> [UInt8] {
    var all: [UInt8] = []
    while case let bytes = receive(), !bytes.isEmpty { all += bytes }
    return all
  }

  /// Asks for a WebSocket; returns whether there is one now.
  func upgrade() -> Bool {
    send(
      WebAttack.request(
        "GET /", "Connection: Upgrade", "Upgrade: websocket", WebAttack.version, WebAttack.key))
    return receive().starts(with: Array("HTTP/1.1 101".utf8))
  }
}

/// A malicious message to the web port. Its effect would be audible: each requests another tempo, or a stop.
struct WebAttack: Sendable {
  let name: String
  /// A request; empty if frames follow a proper one.
  var request: [UInt8] = []
  /// The expected status of the refusal; nil if the connection ends.
  var status: Int?
  var frames: [[UInt8]] = []

  static let version = "Sec-WebSocket-Version: 13"
  static let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="

  static func request(_ line: String, host: String = "localhost", _ headers: String...) -> [UInt8] {
    Array(([line + " HTTP/1.1", "Host: \(host)"] + headers + ["", ""]).joined(separator: "\r\n").utf8)
  }

  /// A frame of a client, masked with zeros.
  static func frame(_ first: UInt8, _ payload: [UInt8], masked: Bool = true) -> [UInt8] {
    let flag: UInt8 = masked ? 0x80 : 0
    let length: [UInt8] =
      payload.count < 126
      ? [flag | UInt8(payload.count)]
      : [flag | 126, UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255)]
    return [first] + length + (masked ? [0, 0, 0, 0] : []) + payload
  }

  private static let slower = OSCBytes.message("/tactus/tempo", 60)
  private static let stop = OSCBytes.message("/tactus/playing", 0)

  /// Attacks that are refused for every client.
  static let known: [WebAttack] = [
    WebAttack(name: "foreign host", request: request("GET /tactus", host: "evil.example"), status: 421),
    WebAttack(
      name: "foreign origin", request: request("GET /tactus", "Origin: http://evil.example"), status: 403),
    // What follows a refused upgrade at once is no request, and may end the connection before its answer has come.
    WebAttack(
      name: "foreign page",
      request: request(
        "GET /", "Connection: Upgrade", "Upgrade: websocket", version, key, "Origin: http://evil.example")
        + frame(0x82, slower)),
    WebAttack(name: "proxy", request: request("GET /tactus", "X-Forwarded-For: 127.0.0.1"), status: 403),
    WebAttack(name: "two hosts", request: request("GET /tactus", "Host: localhost"), status: 400),
    WebAttack(name: "path up", request: request("GET /../../etc/passwd"), status: 404),
    WebAttack(name: "path in codes", request: request("GET /%2e%2e/%2e%2e/etc/passwd"), status: 404),
    WebAttack(name: "path with a zero", request: request("GET /page.js%00.html"), status: 404),
    WebAttack(name: "other's path", request: request("GET http://evil.example/"), status: 400),
    WebAttack(
      name: "form", request: request("POST /tactus/tempo", "Content-Length: 4") + [54, 48, 46, 48],
      status: 413),
    WebAttack(name: "value by PUT", request: request("PUT /tactus/tempo?VALUE=60"), status: 405),
    WebAttack(
      name: "body without end",
      request: request("POST /", "Transfer-Encoding: chunked") + Array("ffffffff\r\n".utf8),
      status: 413),
    WebAttack(
      name: "huge header", request: request("GET /tactus", "X: " + String(repeating: "a", count: 60_000))),
    WebAttack(
      name: "many headers",
      request: Array(
        ("GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "a: b\r\n", count: 2_000) + "\r\n").utf8)
    ),
    WebAttack(name: "stream that lies", request: [0, 0, 255, 255] + slower),
    WebAttack(name: "stream without end", request: [192] + [UInt8](repeating: 47, count: 9_000)),
    WebAttack(name: "not masked", frames: [frame(0x82, slower, masked: false)]),
    WebAttack(name: "not the last", frames: [frame(0x02, slower), frame(0x82, stop)]),
    WebAttack(name: "nothing to continue", frames: [frame(0x80, slower)]),
    WebAttack(name: "unknown kind", frames: [frame(0x83, slower)]),
    WebAttack(name: "reserved bits", frames: [frame(0xf2, slower)]),
    WebAttack(name: "too long", frames: [[0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0] + slower]),
    WebAttack(name: "negative length", frames: [[0x82, 0xff] + [UInt8](repeating: 255, count: 12)]),
    WebAttack(name: "parts without end", frames: (0..<200).map { _ in frame(0x02, [47]) }),
    WebAttack(name: "long ping", frames: [frame(0x89, [UInt8](repeating: 47, count: 500))]),
    WebAttack(name: "many pings", frames: (0..<300).map { _ in frame(0x89, [1, 2, 3]) }),
    WebAttack(name: "goodbye in pieces", frames: [frame(0x88, [3]), frame(0x82, stop)]),
  ]

  /// Attacks that are refused for devices on other machines.
  /// - Parameter token: one that was revoked.
  static func strangers(token: String) -> [WebAttack] {
    func pair(_ secret: String) -> [UInt8] { frame(0x82, OSCBytes.message("/tactus/pair", secret)) }
    return [
      WebAttack(name: "no key", request: request("GET /tactus/tempo?VALUE"), status: 401),
      WebAttack(
        name: "wrong key", request: request("GET /tactus", "Authorization: Bearer AAAAAAAAAAAAAAAAAAAAAA"),
        status: 401),
      WebAttack(
        name: "old key", request: request("GET /tactus", "Authorization: Bearer \(token)"), status: 401),
      WebAttack(name: "OSC without a key", frames: [frame(0x82, slower), frame(0x82, stop)]),
      WebAttack(
        name: "OSC with a wrong key",
        frames: [pair("AAAAAAAAAAAAAAAAAAAAAA"), frame(0x82, slower), frame(0x82, stop)]),
      WebAttack(name: "OSC with an old key", frames: [pair(token), frame(0x82, slower), frame(0x82, stop)]),
      WebAttack(name: "guessed PINs", frames: (0..<9).map { pair("12345\($0)") } + [frame(0x82, slower)]),
      WebAttack(name: "stream without a key", request: [192] + slower + [192] + stop + [192]),
    ]
  }

  /// A request or frames with some random bytes.
  static func madeUp() -> WebAttack {
    var bytes = [UInt8](repeating: 0, count: .random(in: 1...600)).map { _ in UInt8.random(in: 0 ... .max) }
    guard Bool.random() else { return WebAttack(name: "made-up frames", frames: [bytes]) }
    // Most of these ask for the description of all addresses, and do not read it.
    bytes = request("GET /tactus", "Accept: application/json", "User-Agent: made-up")
    for _ in 0..<Int.random(in: 1...8) { bytes[.random(in: bytes.indices)] = .random(in: 0 ... .max) }
    return WebAttack(name: "made-up request", request: bytes)
  }

  enum Outcome {
    /// With the status that is meant for it.
    case refused
    case admitted(String)
    /// The connection ended without an answer, or none was waited for.
    case ended
  }

  func run(port: UInt16, at address: String) -> Outcome {
    guard let connection = WebConnection(port: port, at: address) else { return .ended }
    if frames.isEmpty {
      connection.send(request)
      // Answers to incomplete requests are not awaited.
      if name.hasPrefix("made-up") { return .ended }
      let head = String(decoding: connection.receiveAll().prefix(12), as: UTF8.self)
      if head.isEmpty { return .ended }
      if let status, head.hasSuffix(" \(status)") { return .refused }
      // Strangers learn nothing about any path.
      let isEnded = head.hasSuffix(" 401") || status == nil && ![" 101", " 200"].contains(head.suffix(4))
      return isEnded ? .ended : .admitted("\(name): \(head)")
    }
    // Where too many are connected, it ends here.
    guard connection.upgrade() else { return .ended }
    for frame in frames { connection.send(frame, flags: Int(MSG_DONTWAIT)) }
    connection.send(WebAttack.frame(0x88, []))
    return .ended
  }
}

/// Twenty clients on WebSockets, of which one does not read and one floods; in addition all attacks on the web port, and
/// incomplete requests that are sent byte by byte.
final class WebAbuse: Sendable {
  private let isOver = Atomic(false)
  private let running = Atomic(0)
  private let ended = TestBench.Event()
  private let count = Atomic(0)
  private let heard = Atomic(0)
  private let faults = Mutex<Set<String>>([])
  private let refusals = Mutex<Set<String>>([])

  /// The number of attacks so far.
  var attacks: Int { count.load(ordering: .relaxed) }
  /// The number of bytes that the clients have received.
  var received: Int { heard.load(ordering: .relaxed) }
  /// The attacks that should have been refused and were not.
  var admitted: Set<String> { faults.withLock { $0 } }

  /// The names of the attacks that were refused with their status.
  var refused: Set<String> { refusals.withLock { $0 } }

  /// - Parameters:
  ///   - stranger: an address of this machine that stands for another machine, whose devices may open the page; nil without one.
  ///   - token: a key that was revoked.
  init(port: UInt16, stranger: String?, token: String) {
    start { [self] in crowd(port) }
    start { [self] in
      var index = 0
      while goesOn {
        attack(WebAttack.known[index % WebAttack.known.count], port, "127.0.0.1")
        attack(.madeUp(), port, "127.0.0.1")
        index += 1
        pause(.milliseconds(3))
      }
    }
    guard let stranger else { return }
    start { [self] in
      let attacks = WebAttack.known + WebAttack.strangers(token: token)
      var index = 0
      while goesOn {
        attack(attacks[index % attacks.count], port, stranger)
        index += 1
        pause(.milliseconds(5))
      }
    }
    start { [self] in
      var slow: [WebConnection] = []
      while goesOn {
        slow = (slow + [WebConnection(port: port, at: stranger)].compactMap { $0 }).suffix(12)
        for connection in slow { connection.send([UInt8(ascii: "G")], flags: Int(MSG_DONTWAIT)) }
        pause(.milliseconds(200))
      }
    }
  }

  private var goesOn: Bool { !isOver.load(ordering: .acquiring) }

  private func start(_ work: @escaping @Sendable () -> Void) {
    running.add(1, ordering: .relaxed)
    Thread { [self] in
      work()
      running.subtract(1, ordering: .releasing)
      ended.post()
    }.start()
  }

  private func attack(_ attack: WebAttack, _ port: UInt16, _ address: String) {
    switch attack.run(port: port, at: address) {
    case .refused: _ = refusals.withLock { $0.insert(attack.name) }
    case .admitted(let fault): _ = faults.withLock { $0.insert(fault) }
    case .ended: break
    }
    count.add(1, ordering: .relaxed)
  }

  private func crowd(_ port: UInt16) {
    let clients = (0..<20).compactMap { _ in WebConnection(port: port, at: "127.0.0.1") }.filter {
      $0.upgrade()
    }
    if clients.count < 20 { _ = faults.withLock { $0.insert("\(clients.count) of 20 clients were let in") } }
    let subscription = WebAttack.frame(0x82, Array("/tactus/subscribe\0\0\0,\0\0\0".utf8))
    for client in clients { client.send(subscription) }
    let flood = (0..<20).flatMap { _ in WebAttack.frame(0x82, Array("/tactus/query\0\0\0,\0\0\0".utf8)) }
    var rest = flood[...]
    while goesOn {
      if let flooder = clients.first {
        rest = rest.dropFirst(flooder.send(rest, flags: Int(MSG_DONTWAIT)))
        if rest.isEmpty { rest = flood[...] }
      }
      // The last one never reads.
      for client in clients.dropLast() {
        heard.add(client.receive(flags: Int(MSG_DONTWAIT)).count, ordering: .relaxed)
      }
      pause(.milliseconds(2))
    }
  }

  /// Ends it; a second call does nothing.
  func stop() {
    isOver.store(true, ordering: .releasing)
    _ = ended.wait(until: .within(.seconds(30))) { running.load(ordering: .acquiring) == 0 ? true : nil }
  }
}
