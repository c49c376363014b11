#if Web
  import NIOCore
  import NIOWebSocket
  import OSC

  /// A client on a WebSocket: an OSC peer whose datagrams are binary frames. Commands of OSCQuery are text frames.
  ///
  /// - Thread: web
  final class SocketHandler: PeerHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let pipeline: WebPipeline
    private let address: IPAddress
    private(set) var session: ClientSession?
    private var hasHeard = true
    private var silence: Int64 = 0
    private var isSlowedDown = false
    private var pings: RepeatedTask?
    /// Whether the close frame was sent. Later frames are ignored.
    private var isClosing = false

    init(_ pipeline: WebPipeline, address: IPAddress) { (self.pipeline, self.address) = (pipeline, address) }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
      let (loop, this) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
      let session = ClientSession(pipeline, address: address) {
        loop.execute { this.value.0.flush(this.value.1) }
      }
      self.session = session
      let interval = TimeAmount.seconds(WebLimits.ping)
      pings = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
        this.value.0.ping(this.value.1)
      }
      if !session.begin() { loop.execute { this.value.0.close(.init(codeNumber: 1013), this.value.1) } }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      pings?.cancel()
      session?.end()
      session = nil
    }

    /// Pings the client. Closes a connection on which nothing has arrived for `WebLimits.silence` seconds.
    private func ping(_ context: ChannelHandlerContext) {
      silence = hasHeard ? 0 : silence + WebLimits.ping
      hasHeard = false
      if silence >= WebLimits.silence { return context.close(promise: nil) }
      if session?.check() != nil { return close(.policyViolation, context) }
      if context.channel.isWritable { send(.ping, ByteBuffer(), context) }
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isClosing else { return }
      let frame = unwrapInboundIn(data)
      hasHeard = true
      slowDown(context)
      var data = frame.unmaskedData
      switch frame.opcode {
      case .binary: handle(data.readBytes(length: data.readableBytes) ?? [], context)
      case .text: session?.handle(data.readString(length: data.readableBytes) ?? "")
      // A client that pings without reading receives no more answers than the connection accepts.
      case .ping: if context.channel.isWritable { send(.pong, data, context) }
      case .connectionClose: close(.normalClosure, context)
      default: break
      }
    }

    private func slowDown(_ context: ChannelHandlerContext) {
      guard !isSlowedDown, let wait = session?.wait(after: 1, at: context.eventLoop.now), wait > 0 else {
        return
      }
      isSlowedDown = true
      let this = NIOLoopBound(self, eventLoop: context.eventLoop)
      context.channel.rest(for: wait) { this.value.isSlowedDown = false }
    }

    private func handle(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
      let refusal = session?.handle(bytes) { answer in
        guard context.channel.isWritable else { return false }
        send(.binary, ByteBuffer(bytes: answer), context)
        return true
      }
      if refusal != nil { close(.policyViolation, context) }
    }

    // MARK: Out

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(frame(opcode, data)), promise: nil)
    }

    private func close(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
      guard !isClosing else { return }
      isClosing = true
      session?.leave()
      var data = ByteBuffer()
      data.write(webSocketErrorCode: code)
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(frame(.connectionClose, data))).whenComplete { _ in
        channel.close(promise: nil)
      }
      // A client that does not read never receives the frame.
      context.eventLoop.scheduleTask(in: .seconds(WebLimits.farewell)) { channel.close(promise: nil) }
    }

    func framed(_ datagram: [UInt8]) -> NIOAny {
      wrapOutboundOut(frame(.binary, ByteBuffer(bytes: datagram)))
    }

    private func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
      WebSocketFrame(fin: true, opcode: opcode, data: data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  extension Channel {
    /// Pauses reading for some nanoseconds, and then calls `resume`.
    func rest(for nanoseconds: Int64, then resume: @escaping @Sendable () -> Void) {
      setOption(.autoRead, value: false).whenFailure { _ in }
      eventLoop.scheduleTask(in: .nanoseconds(nanoseconds)) {
        resume()
        self.setOption(.autoRead, value: true).whenFailure { _ in }
      }
    }
  }
#endif
