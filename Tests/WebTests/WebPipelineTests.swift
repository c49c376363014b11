#if Web
  import Foundation
  import NIOCore
  import OSC
  import OSCBench
  import Testing

  @testable import Web

  @Suite struct WebPipelineTests {
    private func rig(from address: String = "127.0.0.1") throws -> WebRig {
      let rig = try WebRig(from: address)
      try rig.open()
      return rig
    }

    // MARK: HTTP

    @Test func aBrowserGetsThePageAndNothingFromElsewhere() throws {
      let rig = try rig()
      let answer = try rig.answer("GET /", "Host: localhost:9700", "Accept: text/html")
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
      #expect(answer.contains("Content-Type: text/html"))
      #expect(answer.contains("default-src 'none'; script-src 'self'; style-src 'self'"))
      #expect(answer.contains("connect-src 'self' ws://localhost:9700 wss://localhost:9700;"))
      #expect(answer.contains("<title>Tactus</title>"))
      #expect(!rig.isOpen)
    }

    @Test(
      "The page's files are there",
      arguments: ["/index.html", "/page.js", "/page.css", "/icon.svg", "/page.webmanifest"])
    func files(path: String) throws {
      #expect(try rig().answer("GET \(path)", "Host: localhost").hasPrefix("HTTP/1.1 200 "))
    }

    @Test func thePageIsSmallAndLoadsNothingFromElsewhere() throws {
      let files = try ["/index.html", "/page.js", "/page.css"].map { try #require(PageFile.at($0)) }
      #expect(files.reduce(0) { $0 + $1.bytes.count } < 80_000)
      for file in files {
        let text = String(decoding: file.bytes, as: UTF8.self)
        #expect(!text.contains("https://") && !text.contains("//cdn"))
        #expect(!text.contains(" style=") && !text.contains("onclick="))
      }
    }

    @Test func aProgramGetsADescriptionOfTheAddresses() throws {
      let rig = try rig()
      #expect(try rig.answer("GET /tactus/tempo?VALUE", "Host: localhost").hasSuffix("\r\n\r\n{}"))
      #expect(rig.backend.log.asked == ["/tactus/tempo?VALUE"])
    }

    @Test func theAnswerToHEADHasNoBody() throws {
      #expect(try rig().answer("HEAD /", "Host: localhost", "Accept: text/html").hasSuffix("\r\n\r\n"))
    }

    @Test(
      "What is not asked rightly is refused",
      arguments: [
        ("POST /", "Host: localhost", 405), ("PUT /tactus/tempo", "Host: localhost", 405),
        ("GET /", "Host: evil.example", 421),
        ("GET /", "Host: localhost\r\nOrigin: http://evil.example", 403),
        ("GET /", "Accept: text/html", 400), ("GET /", "Host: localhost\r\nUpgrade: h2c", 400),
        ("GET http://evil.example/", "Host: localhost", 400), ("OPTIONS *", "Host: localhost", 405),
      ])
    func refusals(line: String, header: String, status: Int) throws {
      let rig = try rig()
      #expect(try rig.answer(line, header).hasPrefix("HTTP/1.1 \(status) "))
      #expect(rig.backend.log.asked.isEmpty)
      #expect(!rig.isOpen)
    }

    @Test(
      "No trick with a path reaches a file",
      arguments: [
        "/../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/page.js/../../x", "/page.js%00",
      ])
    func paths(path: String) throws {
      let rig = try rig()
      #expect(try rig.answer("GET \(path)", "Host: localhost").hasSuffix("{}"))
      // All are asked for as addresses, of which there are none.
      #expect(rig.backend.log.asked == [path])
    }

    @Test(
      "A request with a body is refused without waiting for it",
      arguments: ["Content-Length: 1000000000", "Transfer-Encoding: chunked"])
    func bodies(header: String) throws {
      let rig = try rig()
      let answer = try rig.answer("POST /", "Host: localhost", header)
      #expect(answer.hasPrefix("HTTP/1.1 413 "))
      #expect(!rig.isOpen)
    }

    @Test func hugeHeadersEndTheConnection() throws {
      let rig = try rig()
      _ = try? rig.send(
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "a", count: 10_000) + "\r\n\r\n")
      #expect(try !rig.text().contains("200"))
      #expect(!rig.isOpen)
    }

    @Test func aRequestThatIsNotCompleteInTimeIsGivenUp() throws {
      let rig = try rig()
      try rig.send("GET / HTTP/1.1\r\n")
      for _ in 0..<WebLimits.request - 1 {
        rig.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        try rig.send("X: y\r\n")
      }
      #expect(rig.isOpen)
      rig.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      #expect(!rig.isOpen)
    }

    // MARK: WebSocket

    @Test func aWebSocketIsAPeerWhoseFramesAreDatagrams() throws {
      let rig = try rig()
      #expect(try rig.upgrade("Origin: http://localhost:9700").hasPrefix("HTTP/1.1 101 "))
      try rig.frame(2, message("/tactus/start"))
      #expect(rig.backend.log.datagrams == [message("/tactus/start")])
      let peer = try #require(rig.backend.log.peers.first)
      #expect(peer.isConnected && peer.mayWrite)
      #expect([UInt8]([1, 2, 3, 4]).withUnsafeBytes { rig.clients.send($0, to: peer) } == 0)
      #expect(try rig.received() == [0x82, 4, 1, 2, 3, 4])
      try rig.frame(8, [])
      #expect(rig.backend.log.forgotten == [peer])
      #expect([UInt8]([1]).withUnsafeBytes { rig.clients.send($0, to: peer) } == ENOTCONN)
      #expect(!rig.isOpen)
    }

    @Test(
      "A foreign page opens no WebSocket",
      arguments: [
        ("localhost:9700", "http://evil.example"), ("evil.example", "http://evil.example"),
        ("localhost", "null"),
      ])
    func foreignPages(host: String, origin: String) throws {
      let rig = try rig()
      let answer = try rig.upgrade("Origin: \(origin)", host: host)
      #expect(!answer.contains(" 101 "))
      #expect(!rig.isOpen && rig.clients.count == 0)
    }

    @Test func commandsComeAsText() throws {
      let rig = try rig()
      _ = try rig.upgrade()
      try rig.frame(1, Array(#"{"COMMAND":"LISTEN","DATA":"/tactus/tempo"}"#.utf8))
      #expect(rig.backend.log.listening == ["/tactus/tempo"])
      try rig.frame(1, Array(#"{"COMMAND":"IGNORE","DATA":"/tactus/tempo"}"#.utf8))
      try rig.frame(1, [0xff, 0xfe])
      #expect(rig.backend.log.listening.isEmpty)
      #expect(rig.isOpen)
    }

    @Test func aFrameThatIsNotMaskedEndsTheConnection() throws {
      let rig = try rig()
      _ = try rig.upgrade()
      try rig.frame(2, message("/tactus/start"), isMasked: false)
      #expect(rig.backend.log.datagrams.isEmpty)
      #expect(!rig.isOpen)
    }

    @Test func aFrameOverTheLimitEndsTheConnection() throws {
      let rig = try rig()
      _ = try rig.upgrade()
      try rig.frame(2, [UInt8](repeating: 0, count: WebLimits.frame))
      #expect(rig.backend.log.datagrams.count == 1)
      _ = try? rig.frame(2, [UInt8](repeating: 0, count: WebLimits.frame + 1))
      #expect(rig.backend.log.datagrams.count == 1)
      #expect(!rig.isOpen)
    }

    @Test func aMessageInPartsIsOneDatagramWithinTheSameLimit() throws {
      let rig = try rig()
      _ = try rig.upgrade()
      try rig.frame(2, [1, 2], isLast: false)
      try rig.frame(0, [3, 4])
      #expect(rig.backend.log.datagrams == [[1, 2, 3, 4]])
      try rig.frame(2, [UInt8](repeating: 0, count: 5_000), isLast: false)
      _ = try? rig.frame(0, [UInt8](repeating: 0, count: 5_000))
      #expect(rig.backend.log.datagrams.count == 1)
      #expect(!rig.isOpen)
    }

    @Test func aClientThatIsSilentIsGivenUpAndOneThatAnswersStays() throws {
      let rig = try rig()
      _ = try rig.upgrade()
      for _ in 0..<20 {
        rig.channel.embeddedEventLoop.advanceTime(by: .seconds(WebLimits.ping))
        #expect(try rig.received() == [0x89, 0])
        try rig.frame(10, [])
      }
      #expect(rig.isOpen)
      rig.channel.embeddedEventLoop.advanceTime(by: .seconds(WebLimits.silence + WebLimits.ping))
      #expect(!rig.isOpen)
      #expect(rig.clients.count == 0)
    }

    @Test func fuzzedRequestsAndFramesTrapNothing() throws {
      var generator = SystemRandomNumberGenerator()
      let seeds: [[UInt8]] = [
        Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8),
        Array("GET /tactus?VALUE HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n".utf8),
        [0x82, 0x84, 1, 2, 3, 4, 5, 6, 7, 8],
        [0x81, 0xfe, 0, 200, 1, 2, 3, 4] + [UInt8](repeating: 9, count: 200),
      ]
      for round in 0..<3_000 {
        let rig = try rig()
        if round.isMultiple(of: 2) { _ = try rig.upgrade() }
        var bytes = seeds[Int.random(in: 0..<seeds.count, using: &generator)]
        for _ in 0..<Int.random(in: 0..<6, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
            in: 0 ... .max, using: &generator)
        }
        _ = try? rig.send(bytes)
        _ = try? rig.received()
      }
    }

    // MARK: Other machines

    private let far = "192.0.2.7"

    private func paired(_ rig: WebRig, _ secret: String) throws -> [OSCMessage] {
      try rig.frame(2, Datagrams.of([OSCMessage("/tactus/pair", .string(secret))], at: nil)[0])
      let bytes = try rig.received()
      guard bytes.count > 2, bytes[0] == 0x82 else { return [] }
      return try OSCDatagram(Array(bytes[2..<2 + Int(bytes[1])])).messages
    }

    @Test func fromAnotherMachineThePageIsServedButNoValue() throws {
      #expect(try rig(from: far).answer("GET /", "Host: localhost", "Accept: text/html").contains(" 200 "))
      let rig = try rig(from: far)
      #expect(try rig.answer("GET /tactus/tempo", "Host: localhost").contains(" 401 "))
      #expect(rig.backend.log.asked.isEmpty)
    }

    @Test func withoutAKeyNothingThatAClientSendsIsHandled() throws {
      let rig = try rig(from: far)
      _ = try rig.upgrade()
      try rig.frame(1, Array(#"{"COMMAND":"LISTEN","DATA":"/tactus/tempo"}"#.utf8))
      #expect(try paired(rig, "").first?.arguments == [.string("needed")])
      #expect(try paired(rig, "AAAAAAAAAAAAAAAAAAAAAA").first?.arguments == [.string("refused")])
      try rig.frame(2, message("/tactus/start"))
      #expect(rig.backend.log.datagrams.isEmpty && rig.backend.log.listening.isEmpty)
      #expect(!rig.isOpen)
    }

    @Test func `A peer that may send OSC over UDP reads without a key, and changes nothing without one`()
      throws
    {
      func rig() throws -> WebRig {
        let rig = try WebRig(from: far, readers: [try OSCNetwork("192.0.2.0/24")])
        try rig.open()
        return rig
      }
      let program = try rig()
      #expect(try program.answer("GET /tactus?VALUE", "Host: localhost").contains(" 200 "))
      #expect(program.backend.log.asked == ["/tactus?VALUE"])
      // Another page's script in a browser of that machine is refused as before.
      #expect(
        try rig().answer("GET /tactus", "Host: localhost", "Origin: http://evil.example").contains(" 403 "))
      let socket = try rig()
      _ = try socket.upgrade()
      try socket.frame(1, Array(#"{"COMMAND":"LISTEN","DATA":"/tactus/tempo"}"#.utf8))
      try socket.frame(2, message("/tactus/start"))
      #expect(socket.backend.log.listening == ["/tactus/tempo"])
      #expect(socket.backend.log.peers.map(\.mayWrite) == [false])
      // The page still asks for a key, which lets in as ever.
      #expect(try paired(socket, "").first?.arguments == [.string("needed")])
      let key = try RemoteKey(name: "phone", mayWrite: true)
      try socket.keys.write(KeyFile.Content(keys: [key]))
      #expect(try paired(socket, key.token).first?.arguments.first == .string("control"))
      try socket.frame(2, message("/tactus/start"))
      #expect(socket.backend.log.peers.map(\.mayWrite) == [false, true])
      #expect(socket.clients.count == 1)
      try socket.keys.write(KeyFile.Content())
      socket.channel.embeddedEventLoop.advanceTime(by: .seconds(WebLimits.ping))
      #expect(!socket.isOpen && socket.clients.count == 0)
    }

    @Test func withAKeyAClientIsAPeerUntilItIsRevoked() throws {
      let rig = try rig(from: far)
      let key = try RemoteKey(name: "phone", mayWrite: true)
      try rig.keys.write(KeyFile.Content(keys: [key]))
      _ = try rig.upgrade()
      #expect(try paired(rig, key.token).first?.arguments == [.string("control"), .string(key.token)])
      try rig.frame(2, message("/tactus/start"))
      #expect(rig.backend.log.datagrams.count == 1)
      try rig.keys.write(KeyFile.Content())
      rig.channel.embeddedEventLoop.advanceTime(by: .seconds(WebLimits.ping))
      #expect(!rig.isOpen)
    }

    @Test func whoHasAKeyForDisplaysIsAPeerThatMayNotWrite() throws {
      let rig = try rig(from: far)
      let key = try RemoteKey(name: "band", mayWrite: false)
      try rig.keys.write(KeyFile.Content(keys: [key]))
      _ = try rig.upgrade()
      #expect(try paired(rig, key.token).first?.arguments.first == .string("viewer"))
      try rig.frame(2, message("/tactus/start"))
      #expect(rig.backend.log.peers.first?.mayWrite == false)
    }

    @Test func `Who shows no key is closed after two minutes, and no more than sixteen wait`() throws {
      let first = try rig(from: far)
      _ = try first.upgrade()
      for _ in 0..<WebLimits.strangeness / WebLimits.ping - 1 {
        first.channel.embeddedEventLoop.advanceTime(by: .seconds(WebLimits.ping))
        try first.frame(10, [])
      }
      #expect(first.isOpen)
      first.channel.embeddedEventLoop.advanceTime(by: .seconds(WebLimits.ping))
      #expect(!first.isOpen)
      // Status 1008: policy violation.
      #expect(try first.received().suffix(4) == [0x88, 2, 3, 240])
      let clients = WebClients()
      var admitted = 0
      while admitted < 100, clients.admitUnpaired() { admitted += 1 }
      #expect(admitted == WebLimits.strangers)
      clients.removeStranger()
      #expect(clients.admitUnpaired() && !clients.admitUnpaired())
    }

    @Test func fiveWrongSecretsEndAConnection() throws {
      let rig = try rig(from: far)
      _ = try rig.upgrade()
      for _ in 0..<Authenticator.tries { _ = try paired(rig, "AAAAAAAAAAAAAAAAAAAAAA") }
      #expect(!rig.isOpen)
    }

    @Test func programsOfOtherMachinesAskWithAKey() throws {
      let rig = try rig(from: far)
      let key = try RemoteKey(name: "phone", mayWrite: false)
      try rig.keys.write(KeyFile.Content(keys: [key]))
      #expect(
        try rig.answer("GET /tactus", "Host: localhost", "Authorization: Bearer \(key.token)").contains(
          " 200 "))
    }
  }
#endif
