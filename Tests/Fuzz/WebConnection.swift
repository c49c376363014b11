#if Web
  import NIOCore
  import NIOEmbedded
  import OSC
  import OSCControl
  import Synchronization

  @testable import Web

  /// A connection to the web server without sockets, over which made-up bytes come.
  enum WebConnection {
    /// Checks what reaches it, as the OSC server would.
    private final class Backend: WebBackend {
      let speakers = Mutex<Set<OSCPeer>>([])

      func receive(_ bytes: [UInt8], from peer: OSCPeer) {
        // Nobody has a key: who comes from another machine may read at most.
        precondition(bytes.count <= 8_192 && peer.isConnected && peer.mayWrite == peer.address?.isLoopback)
        speakers.withLock { _ = $0.insert(peer) }
        _ = try? OSCDatagram(bytes).messages
      }

      func listen(_ peer: OSCPeer, to address: String) -> Bool { true }
      func ignore(_ peer: OSCPeer, _ address: String) {}
      func forget(_ peer: OSCPeer) { speakers.withLock { _ = $0.remove(peer) } }

      func describe(
        path: String, attribute: String?,
        _ answer: @escaping @Sendable ((@Sendable () -> OSCQueryTree.Answer)?) -> Void
      ) {
        answer { OSCQueryTree.Answer(status: 200, json: "{}") }
      }
    }

    private static let upgrade =
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    /// The first byte says whether a WebSocket was opened before, whether it comes from another machine, whether that may read, and
    /// in what pieces the rest arrives.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) {
      guard let first = bytes.first else { return }
      let (channel, backend, clients) = (EmbeddedChannel(), Backend(), WebClients())
      let pipeline = WebPipeline(
        rules: WebRules(address: IPAddress("0.0.0.0")!), backend: backend, clients: clients,
        doorkeeper: Doorkeeper(KeyFile(path: "/nonexistent/keys")),
        readers: first & 4 == 0 ? [try! OSCNetwork("192.0.2.0/24")] : [], now: { 1_000 })
      let isFar = first & 2 != 0
      let isStranger = isFar && first & 4 != 0
      try! pipeline.configure(channel, from: IPAddress(isFar ? "192.0.2.7" : "127.0.0.1")!)
      try! channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      if first & 1 != 0 { send(Array(upgrade.utf8)[...], channel) }
      var rest = Array(bytes.dropFirst())[...]
      let size = 1 + Int(first >> 3) * 32
      while !rest.isEmpty {
        send(rest.prefix(size), channel)
        rest = rest.dropFirst(size)
      }
      // Whoever is a stranger, or says half of something, has gone by then.
      channel.embeddedEventLoop.advanceTime(by: .minutes(3))
      precondition(!isStranger || !channel.isActive && backend.speakers.withLock { $0.isEmpty })
      _ = try? channel.finish(acceptAlreadyClosed: true)
      precondition(clients.count == 0 && backend.speakers.withLock { $0.isEmpty })
    }

    private static func send(_ bytes: ArraySlice<UInt8>, _ channel: EmbeddedChannel) {
      _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
      channel.embeddedEventLoop.run()
      while (try? channel.readOutbound(as: ByteBuffer.self)) ?? nil != nil {}
    }
  }
#else
  /// Stands for a program that was built without the web server.
  enum WebConnection {
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) {}
  }
#endif
