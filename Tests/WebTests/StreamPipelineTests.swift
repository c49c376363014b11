#if Web
  import NIOCore
  import OSC
  import OSCBench
  import Testing

  @testable import Web

  /// OSC over TCP on the web port.
  @Suite struct StreamPipelineTests {
    private func rig(from address: String = "127.0.0.1") throws -> WebRig {
      let rig = try WebRig(from: address)
      try rig.open()
      return rig
    }

    @Test(arguments: [StreamFraming.slip, .lengths])
    func `A client is a peer whose datagrams are framed as its own`(framing: StreamFraming) throws {
      let rig = try rig()
      try rig.send(framing.framed(message("/tactus/start")) + framing.framed(message("/tactus/stop")))
      #expect(rig.backend.log.datagrams == [message("/tactus/start"), message("/tactus/stop")])
      let peer = try #require(rig.backend.log.peers.first)
      #expect(peer.isConnected && peer.mayWrite)
      #expect([UInt8]([1, 192, 3, 4]).withUnsafeBytes { rig.clients.send($0, to: peer) } == 0)
      #expect(try rig.received() == framing.framed([1, 192, 3, 4]))
      _ = try rig.channel.close().wait()
      rig.channel.embeddedEventLoop.run()
      #expect(rig.backend.log.forgotten == [peer] && rig.clients.count == 0)
    }

    @Test func `It stays for as long as it likes, without a word`() throws {
      let rig = try rig()
      try rig.send(StreamFraming.slip.framed(message("/tactus/subscribe")))
      rig.channel.embeddedEventLoop.advanceTime(by: .hours(3))
      #expect(rig.isOpen)
    }

    @Test func `Who says nothing at all is closed after ten seconds`() throws {
      let rig = try rig()
      rig.channel.embeddedEventLoop.advanceTime(by: .seconds(WebLimits.request))
      #expect(!rig.isOpen)
    }

    @Test func `What is no stream of datagrams ends the connection`() throws {
      for bytes: [UInt8] in [[192, 219, 1], [0, 0, 255, 255], [192] + [UInt8](repeating: 47, count: 9_000)] {
        let rig = try rig()
        _ = try? rig.send(bytes)
        #expect(!rig.isOpen && rig.clients.count == 0)
      }
    }

    @Test func `From another machine it needs a key, first of all`() throws {
      let stranger = try rig(from: "192.0.2.7")
      try stranger.send(StreamFraming.slip.framed(message("/tactus/start")))
      #expect(!stranger.isOpen && stranger.backend.log.datagrams.isEmpty)
      let rig = try rig(from: "192.0.2.7")
      let key = try RemoteKey(name: "phone", mayWrite: false)
      try rig.keys.write(KeyFile.Content(keys: [key]))
      let pair = Datagrams.of([OSCMessage("/tactus/pair", .string(key.token))], at: nil)[0]
      try rig.send(StreamFraming.slip.framed(pair) + StreamFraming.slip.framed(message("/tactus/start")))
      #expect(rig.backend.log.peers.first?.mayWrite == false)
      try rig.keys.write(KeyFile.Content())
      rig.channel.embeddedEventLoop.advanceTime(by: .seconds(WebLimits.ping))
      #expect(!rig.isOpen)
    }

    @Test func `Who sends more than its share is read at its rate`() throws {
      let rig = try rig()
      let flood = (0..<2 * Int(WebLimits.burst)).flatMap { _ in StreamFraming.slip.framed(message("/a")) }
      try rig.send(flood)
      #expect(isRead(rig) == false)
      rig.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      #expect(isRead(rig) == true)
    }

    /// Whether the connection is read; nil if that was never changed.
    private func isRead(_ rig: WebRig) -> Bool? {
      rig.channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool
    }
  }
#endif
