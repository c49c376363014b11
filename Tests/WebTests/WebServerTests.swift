#if Web
  import Glibc
  import OSC
  import OSCBench
  import Testing

  @testable import Web

  /// The server on real sockets, with the OSC server behind it.
  @Suite struct WebServerTests {
    private let test: RemoteRig
    private let server: WebServer
    private let port: UInt16

    init() throws {
      test = try RemoteRig()
      server = WebServer(backend: test.remote, keys: KeyFile(path: "/nonexistent"))
      test.remote.connect(server.carrier)
      port = try server.start(address: "127.0.0.1", port: 0)
    }

    /// A TCP client that waits a minute at most.
    private final class Client {
      let descriptor: Int32

      init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        (name.sin_family, name.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let code = withUnsafePointer(to: &name) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
        try #require(code == 0)
      }

      deinit { close(descriptor) }

      func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

      func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
        return Array(bytes.prefix(max(0, got)))
      }

      /// Everything up to an empty line.
      func receiveHead() -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
          let byte = receive(1)
          guard !byte.isEmpty else { break }
          head += byte
        }
        return String(decoding: head, as: UTF8.self)
      }

      func upgrade() -> String {
        send(
          Array(
            "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
              .utf8))
        return receiveHead()
      }

      func frame(_ payload: [UInt8]) { send([0x82, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload) }

      func receiveFrame() throws -> [OSCMessage] {
        let head = receive(2)
        try #require(head.count == 2 && head[0] == 0x82 && head[1] < 126)
        return try OSCDatagram(receive(Int(head[1]))).messages
      }
    }

    @Test func aClientOnAWebSocketIsAnsweredByTheOSCServer() throws {
      let client = try Client(port: port)
      #expect(client.upgrade().hasPrefix("HTTP/1.1 101"))
      client.frame(message("/tactus/tempo", "f", word(Float(90).bitPattern)))
      client.frame(message("/tactus/tempo"))
      #expect(try client.receiveFrame() == [OSCMessage("/tactus/tempo", .float(90))])
      #expect(test.settings.tempo.beatsPerMinute == 90)
    }

    @Test func aPortThatIsTakenIsOneSentence() throws {
      let other = WebServer(backend: test.remote, keys: KeyFile(path: "/nonexistent"))
      let error = #expect(throws: WebStartError.self) {
        _ = try other.start(address: "127.0.0.1", port: port)
      }
      #expect(error?.description.contains("TCP port \(port) on 127.0.0.1 is taken") == true)
    }

    @Test func moreConnectionsThanMayBeAreClosedAndTheOthersStay() throws {
      var clients: [Client] = []
      for _ in 0..<WebLimits.connections {
        let client = try Client(port: port)
        try #require(client.upgrade().hasPrefix("HTTP/1.1 101"))
        clients.append(client)
      }
      #expect(try Client(port: port).upgrade().isEmpty)
      clients[0].frame(message("/tactus/tempo"))
      #expect(try clients[0].receiveFrame().first?.address == "/tactus/tempo")
    }

    @Test func whenItStopsClientsAreTold() throws {
      let client = try Client(port: port)
      _ = client.upgrade()
      server.stop()
      #expect(client.receive(1).isEmpty)
    }
  }
#endif
