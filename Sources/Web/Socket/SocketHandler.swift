#if Web
  import NIOCore
  import NIOWebSocket
  import OSC

  /// A client on a WebSocket: an OSC peer whose datagrams are binary frames. Commands of OSCQuery come as text.
  ///
  /// - Thread: web
  final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let pipeline: WebPipeline
    private let address: IPAddress
    /// nil until the client may speak.
    private var peer: OSCPeer?
    /// The key of a client on another machine.
    private var key: RemoteKey?
    private var outlet: Outlet?
    private var hasHeard = true
    private var silence: Int64 = 0
    private var strangeness: Int64 = 0
    private var attempts = 0
    private var allowance: Allowance?
    private var isSlowedDown = false
    private var pings: RepeatedTask?
    /// Whether the close frame was sent: nothing is heard any more.
    private var isClosing = false

    init(_ pipeline: WebPipeline, address: IPAddress) { (self.pipeline, self.address) = (pipeline, address) }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
      let (loop, this) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
      let outlet = Outlet {
        loop.execute { this.value.0.flush(this.value.1) }
      }
      self.outlet = outlet
      if address.isLoopback { enter(mayWrite: true) }
      let interval = TimeAmount.seconds(WebLimits.ping)
      pings = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
        this.value.0.ping(this.value.1)
      }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      pings?.cancel()
      leave()
      outlet = nil
    }

    private func enter(mayWrite: Bool) {
      if let outlet { peer = pipeline.clients.add(outlet, at: address, mayWrite: mayWrite) }
    }

    private func leave() {
      guard let peer else { return }
      pipeline.clients.remove(peer)
      pipeline.backend.forget(peer)
      self.peer = nil
    }

    /// Asks whether the client is there; closes a connection on which nothing has come for long.
    private func ping(_ context: ChannelHandlerContext) {
      silence = hasHeard ? 0 : silence + WebLimits.ping
      hasHeard = false
      strangeness += peer == nil ? WebLimits.ping : 0
      guard silence < WebLimits.silence, strangeness < WebLimits.strangeness else {
        return context.close(promise: nil)
      }
      if let key, !pipeline.doorkeeper.knows(key) { return close(.policyViolation, context) }
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
      case .text: handle(data.readString(length: data.readableBytes) ?? "")
      // Who pings without reading gets no more answers than the line takes.
      case .ping: if context.channel.isWritable { send(.pong, data, context) }
      case .connectionClose: close(.normalClosure, context)
      default: break
      }
    }

    /// Reads no more for a while where a client sends more than its share. What it sent waits behind itself: nothing is lost.
    private func slowDown(_ context: ChannelHandlerContext) {
      let now = context.eventLoop.now.uptimeNanoseconds
      if allowance == nil {
        allowance = Allowance(capacity: WebLimits.burst, perSecond: WebLimits.rate, now: now)
      }
      guard let wait = allowance?.charge(1, now: now), wait > 0, !isSlowedDown else { return }
      isSlowedDown = true
      let channel = context.channel
      channel.setOption(.autoRead, value: false).whenFailure { _ in }
      let this = NIOLoopBound(self, eventLoop: context.eventLoop)
      context.eventLoop.scheduleTask(in: .nanoseconds(wait)) {
        this.value.isSlowedDown = false
        channel.setOption(.autoRead, value: true).whenFailure { _ in }
      }
    }

    private func handle(_ text: String) {
      guard let peer else { return }
      switch SocketCommand(text) {
      case .listen(let address): _ = pipeline.backend.listen(peer, to: address)
      case .ignore(let address): pipeline.backend.ignore(peer, address)
      case nil: break
      }
    }

    private func handle(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
      if bytes.starts(with: Pairing.prefix) {
        pair(Pairing.secret(bytes), context)
      } else if let peer {
        pipeline.backend.receive(bytes, from: peer)
      } else {
        close(.policyViolation, context)
      }
    }

    // MARK: Pairing

    /// Lets a client in that has a key or the PIN. This machine's clients are in.
    private func pair(_ secret: String?, _ context: ChannelHandlerContext) {
      if let peer { return tell(peer.mayWrite ? .control : .viewer, context) }
      guard let secret, !secret.isEmpty else { return tell(.needed, context) }
      attempts += 1
      guard attempts <= Doorkeeper.tries, let key = pipeline.doorkeeper.key(for: secret, now: pipeline.now())
      else {
        tell(.refused, context)
        if attempts >= Doorkeeper.tries { close(.policyViolation, context) }
        return
      }
      self.key = key
      enter(mayWrite: key.mayWrite)
      tell(key.mayWrite ? .control : .viewer, token: key.token, context)
    }

    private func tell(_ mode: Pairing.Mode, token: String? = nil, _ context: ChannelHandlerContext) {
      // Who asks without reading would have the answers pile up.
      guard context.channel.isWritable else { return context.close(promise: nil) }
      send(.binary, ByteBuffer(bytes: Pairing.answer(mode, token: token)), context)
    }

    // MARK: Out

    /// Sends what waits, as far as the connection takes it.
    private func flush(_ context: ChannelHandlerContext) {
      var hasWritten = false
      while context.channel.isWritable, let bytes = outlet?.take() {
        context.write(wrapOutboundOut(frame(.binary, ByteBuffer(bytes: bytes))), promise: nil)
        hasWritten = true
      }
      if hasWritten { context.flush() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      flush(context)
      context.fireChannelWritabilityChanged()
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(frame(opcode, data)), promise: nil)
    }

    private func close(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
      guard !isClosing else { return }
      isClosing = true
      leave()
      var data = ByteBuffer()
      data.write(webSocketErrorCode: code)
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(frame(.connectionClose, data))).whenComplete { _ in
        channel.close(promise: nil)
      }
      // Who does not read never takes the frame.
      context.eventLoop.scheduleTask(in: .seconds(WebLimits.farewell)) { channel.close(promise: nil) }
    }

    private func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
      WebSocketFrame(fin: true, opcode: opcode, data: data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
#endif
