#if Web
  import NIOCore
  import NIOHTTP1
  import OSC
  import OSCControl

  /// Answers one request on a connection, and closes it. For a WebSocket the handler is removed before it answers.
  ///
  /// - Thread: web
  final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let pipeline: WebPipeline
    private let address: IPAddress
    private var head: HTTPRequestHead?
    private var hasAnswered = false
    private let deadline: NIODeadline
    private var timer: Scheduled<Void>?

    init(_ pipeline: WebPipeline, address: IPAddress, until deadline: NIODeadline) {
      (self.pipeline, self.address, self.deadline) = (pipeline, address, deadline)
    }

    private var rules: WebRules { pipeline.rules }

    func handlerAdded(context: ChannelHandlerContext) {
      // The deadline is for the whole answer. A client that sends a byte now and then gets no more time.
      let channel = context.channel
      timer = context.eventLoop.scheduleTask(deadline: deadline) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        self.head = head
        // No valid request has a body, so the answer does not wait for it.
        if head.hasBody { answer(context) }
      case .body: break
      case .end: answer(context)
      }
    }

    private func answer(_ context: ChannelHandlerContext) {
      guard let head, !hasAnswered else { return }
      hasAnswered = true
      if let status = rules.refusal(head) { return send(.failure(status), context) }
      if head.hasBody { return send(.failure(413), context) }
      if let place = rules.redirection(head, from: address) { return send(.moved(to: place), context) }
      let request = WebRequest(
        method: head.method.rawValue, target: head.uri, accept: head.headers["accept"].joined(separator: ","),
        isUpgrade: head.headers.contains(name: "upgrade"))
      switch request.resource {
      case .reply(let reply): send(reply, context)
      case .node(let path, let attribute):
        guard isAdmitted(head) else { return send(.failure(401), context) }
        let (loop, this) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        pipeline.backend.describe(path: path, attribute: attribute) { describe in
          loop.execute {
            let (handler, context) = this.value
            let reply = describe.map { WebReply($0()) } ?? .failure(503)
            handler.send(reply, context)
          }
        }
      }
    }

    /// Whether a client may read values: those that may query them over UDP, and those that send a key. The page itself
    /// contains nothing secret.
    private func isAdmitted(_ head: HTTPRequestHead) -> Bool {
      if pipeline.isReader(address) { return true }
      let scheme = "Bearer "
      guard let text = head.headers["authorization"].first, text.hasPrefix(scheme) else { return false }
      let token = String(text.dropFirst(scheme.count))
      return !RemotePIN.isPIN(token) && pipeline.authenticator.key(for: token, now: pipeline.now()) != nil
    }

    private func send(_ reply: WebReply, _ context: ChannelHandlerContext) {
      guard let head, context.channel.isActive else { return }
      let host = rules.refusal(head) == nil ? head.headers["host"].first ?? "" : "localhost"
      let response = HTTPResponseHead(
        version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status),
        headers: HTTPHeaders(reply.headers(host: host)))
      context.write(wrapOutboundOut(.head(response)), promise: nil)
      if head.method != .HEAD, !reply.body.isEmpty {
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: reply.body)))), promise: nil)
      }
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  extension WebRules {
    func refusal(_ head: HTTPRequestHead) -> Int? {
      refusal(
        hosts: head.headers["host"], origins: head.headers["origin"],
        isForwarded: ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"].contains {
          head.headers.contains(name: $0)
        })
    }

    func redirection(_ head: HTTPRequestHead, from client: IPAddress) -> String? {
      redirection(from: client, host: head.headers["host"].first ?? "", target: head.uri)
    }
  }

  extension HTTPRequestHead {
    fileprivate var hasBody: Bool {
      headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" }
    }
  }

  extension WebReply {
    fileprivate init(_ answer: OSCQueryTree.Answer) {
      self.init(status: answer.status, body: Array(answer.json.utf8))
    }
  }
#endif
