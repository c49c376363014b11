#if Web
  import Foundation
  import NIOCore
  import NIOEmbedded
  import OSC

  @testable import Web

  /// A connection to the server without sockets, in simulated time.
  final class WebRig {
    let channel = EmbeddedChannel()
    let backend = FakeBackend()
    let clients = WebClients()
    let keys = KeyFile(path: NSTemporaryDirectory() + "tactus-keys-\(UUID().uuidString)/remote-keys")

    /// - Parameters:
    ///   - address: the client's.
    ///   - readers: the networks that need no key to read.
    init(from address: String = "127.0.0.1", readers: [OSCNetwork] = []) throws {
      let pipeline = WebPipeline(
        rules: WebRules(address: IPAddress("0.0.0.0")!), backend: backend, clients: clients,
        authenticator: Authenticator(keys), readers: readers, now: { 1_000 })
      try pipeline.configure(channel, from: IPAddress(address)!)
      channel.pipeline.fireChannelActive()
    }

    deinit {
      _ = try? channel.finish(acceptAlreadyClosed: true)
      try? FileManager.default.removeItem(atPath: (keys.path as NSString).deletingLastPathComponent)
    }

    var isOpen: Bool { channel.isActive }

    /// Connects, as only an active channel is written to.
    func open() throws { try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait() }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
      do { try channel.writeInbound(ByteBuffer(bytes: bytes)) } catch is ChannelError {}
      channel.embeddedEventLoop.run()
    }

    /// The bytes sent since the last call.
    func received() throws -> [UInt8] {
      channel.embeddedEventLoop.run()
      var bytes: [UInt8] = []
      while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
        bytes += Array(buffer.readableBytesView)
      }
      return bytes
    }

    func text() throws -> String { String(decoding: try received(), as: UTF8.self) }

    /// Sends a request, and returns its answer.
    func answer(_ line: String, _ headers: String...) throws -> String {
      try send(([line + " HTTP/1.1"] + headers + ["", ""]).joined(separator: "\r\n"))
      return try text()
    }

    /// Opens a WebSocket; returns the answer.
    func upgrade(_ headers: String..., host: String = "localhost:9700", target: String = "/") throws -> String
    {
      try send(
        ([
          "GET \(target) HTTP/1.1", "Host: \(host)", "Connection: Upgrade", "Upgrade: websocket",
          "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ] + headers + ["", ""]).joined(separator: "\r\n"))
      return try text()
    }

    /// Sends a frame, masked.
    func frame(_ opcode: UInt8, _ payload: [UInt8], isMasked: Bool = true, isLast: Bool = true) throws {
      let mask: [UInt8] = [1, 2, 3, 4]
      var bytes: [UInt8] = [opcode | (isLast ? 0x80 : 0)]
      let flag: UInt8 = isMasked ? 0x80 : 0
      if payload.count < 126 {
        bytes.append(flag | UInt8(payload.count))
      } else if payload.count < 65_536 {
        bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
      } else {
        bytes += [flag | 127] + (0..<8).map { UInt8(payload.count >> (8 * (7 - $0)) & 255) }
      }
      if isMasked { bytes += mask }
      bytes += isMasked ? payload.enumerated().map { $1 ^ mask[$0 % 4] } : payload
      try send(bytes)
    }
  }
#endif
