#if Web
  import NIOCore
  import OSC

  /// A client on a TCP connection: an OSC peer whose datagrams are framed by SLIP or by lengths.
  ///
  /// - Thread: web
  final class StreamHandler: PeerHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let pipeline: WebPipeline
    private let address: IPAddress
    private var reader: StreamReader
    private(set) var session: ClientSession?
    private var isSlowedDown = false
    private var checks: RepeatedTask?
    private var isClosing = false

    init(_ pipeline: WebPipeline, _ framing: StreamFraming, address: IPAddress) {
      (self.pipeline, self.address) = (pipeline, address)
      reader = StreamReader(framing)
    }

    func handlerAdded(context: ChannelHandlerContext) {
      let (loop, this) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
      let session = ClientSession(pipeline, address: address) {
        loop.execute { this.value.0.flush(this.value.1) }
      }
      self.session = session
      let interval = TimeAmount.seconds(WebLimits.ping)
      checks = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
        if this.value.0.session?.check() != nil { this.value.0.close(this.value.1) }
      }
      if !session.begin() { close(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      checks?.cancel()
      session?.end()
      session = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isClosing else { return }
      var (datagrams, isBroken): ([[UInt8]], Bool) = ([], false)
      do throws(StreamReader.Fault) {
        try reader.read(unwrapInboundIn(data).readableBytesView) { datagrams.append($0) }
      } catch {
        isBroken = true
      }
      for datagram in datagrams { handle(datagram, context) }
      if isBroken { return close(context) }
      guard !isSlowedDown, let wait = session?.wait(after: datagrams.count, at: context.eventLoop.now),
        wait > 0
      else { return }
      isSlowedDown = true
      let this = NIOLoopBound(self, eventLoop: context.eventLoop)
      context.channel.rest(for: wait) { this.value.isSlowedDown = false }
    }

    private func handle(_ datagram: [UInt8], _ context: ChannelHandlerContext) {
      guard !isClosing else { return }
      let refusal = session?.handle(datagram) { answer in
        guard context.channel.isWritable else { return false }
        context.writeAndFlush(framed(answer), promise: nil)
        return true
      }
      if refusal != nil { close(context) }
    }

    func framed(_ datagram: [UInt8]) -> NIOAny {
      wrapOutboundOut(ByteBuffer(bytes: reader.framing.framed(datagram)))
    }

    private func close(_ context: ChannelHandlerContext) {
      guard !isClosing else { return }
      isClosing = true
      session?.leave()
      context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(context) }
  }
#endif
