#if Web
  import NIOCore
  import NIOHTTP1
  import NIOWebSocket
  import OSC
  import Glibc

  /// Sets up the handlers of a connection: for TLS, OSC, HTTP and WebSockets.
  struct WebPipeline: Sendable {
    var rules: WebRules
    let backend: any WebBackend
    let clients: WebClients
    let authenticator: Authenticator
    /// Networks whose programs may send OSC over UDP. What they may query there, they may read here without a key.
    var readers: [OSCNetwork] = []
    /// The certificate for encrypted connections; nil for none, and on a connection that is already decrypted.
    var identity: TLSIdentity?
    /// The wall clock, in seconds since 1970.
    var now: @Sendable () -> Int64 = { Int64(time(nil)) }

    /// Whether a client may read without a key.
    func isReader(_ address: IPAddress) -> Bool {
      address.isLoopback || readers.contains { $0.contains(address) }
    }

    /// Sets up a new or decrypted connection.
    /// - Parameter address: the client's.
    /// - Thread: web
    func configure(_ channel: any Channel, from address: IPAddress) throws {
      try channel.pipeline.syncOperations.addHandler(ProtocolChooser(self, address: address))
    }

    /// Adds decryption to a connection, and sets up the decrypted connection.
    /// - Thread: web
    func decrypt(_ channel: any Channel, from address: IPAddress, with identity: TLSIdentity) throws {
      var inner = self
      (inner.identity, inner.rules.isEncrypted) = (nil, true)
      try identity.add(to: channel.pipeline.syncOperations)
      try inner.configure(channel, from: address)
    }

    /// Sets up HTTP, and the upgrade to a WebSocket.
    /// - Parameter deadline: for the end of the answer.
    /// - Thread: web
    func serveHTTP(_ channel: any Channel, from address: IPAddress, until deadline: NIODeadline) throws {
      let requests = NIOLoopBound(
        RequestHandler(self, address: address, until: deadline), eventLoop: channel.eventLoop)
      let upgrade: NIOHTTPServerUpgradeConfiguration = (
        upgraders: [upgrader(from: address)],
        completionHandler: { context in
          context.pipeline.syncOperations.removeHandler(requests.value, promise: nil)
        }
      )
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = WebLimits.headerField
      limits.maxHeaderListSize = WebLimits.headers
      limits.maxHeaderFieldCount = WebLimits.headerCount
      let pipeline = channel.pipeline.syncOperations
      try pipeline.configureHTTPServerPipeline(
        position: .last, withServerUpgrade: upgrade, withErrorHandling: true,
        withOutboundHeaderValidation: true,
        withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
      try pipeline.addHandler(requests.value)
    }

    private func upgrader(from address: IPAddress) -> NIOWebSocketServerUpgrader {
      NIOWebSocketServerUpgrader(
        maxFrameSize: WebLimits.frame, automaticErrorHandling: true,
        shouldUpgrade: { channel, head in
          let isWelcome =
            head.uri == "/" && rules.refusal(head) == nil && rules.redirection(head, from: address) == nil
          return channel.eventLoop.makeSucceededFuture(isWelcome ? HTTPHeaders() : nil)
        },
        upgradePipelineHandler: { channel, _ in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(FrameCheck())
            try pipeline.addHandler(
              NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: WebLimits.fragments,
                maxAccumulatedFrameSize: WebLimits.frame))
            try pipeline.addHandler(SocketHandler(self, address: address))
          }
        })
    }
  }
#endif
