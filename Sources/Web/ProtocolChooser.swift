#if Web
  import NIOCore
  import OSC

  /// Detects from the first byte of a connection whether HTTP, OSC or TLS follows, and installs the handlers for it in its
  /// place.
  ///
  /// - Thread: web
  final class ProtocolChooser: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let pipeline: WebPipeline
    private let address: IPAddress
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?
    private var hasChosen = false

    init(_ pipeline: WebPipeline, address: IPAddress) { (self.pipeline, self.address) = (pipeline, address) }

    func handlerAdded(context: ChannelHandlerContext) {
      let (channel, deadline) = (context.channel, context.eventLoop.now + .seconds(WebLimits.request))
      self.deadline = deadline
      timer = context.eventLoop.scheduleTask(deadline: deadline) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data)
      guard !hasChosen, let first = bytes.readableBytesView.first, let deadline else {
        return context.fireChannelRead(data)
      }
      hasChosen = true
      do {
        if first == TLSIdentity.firstByte, let identity = pipeline.identity {
          try pipeline.decrypt(context.channel, from: address, with: identity)
        } else if let framing = StreamFraming(firstByte: first) {
          try context.pipeline.syncOperations.addHandler(StreamHandler(pipeline, framing, address: address))
        } else {
          try pipeline.serveHTTP(context.channel, from: address, until: deadline)
        }
      } catch {
        return context.close(promise: nil)
      }
      context.fireChannelRead(data)
      context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
#endif
