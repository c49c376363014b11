#if Web
  import NIOCore
  import NIOWebSocket

  /// Closes a connection on which a frame is not masked, or uses bits of extensions that were not negotiated.
  ///
  /// Browsers must mask their frames. An unmasked frame may consist of bytes that a page has smuggled through a proxy.
  ///
  /// - Thread: web
  final class FrameCheck: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private var hasEnded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !hasEnded else { return }
      let frame = unwrapInboundIn(data)
      if frame.maskKey != nil, frame.reservedBits.isEmpty { return context.fireChannelRead(data) }
      hasEnded = true
      var data = ByteBuffer()
      data.write(webSocketErrorCode: .protocolError)
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)))
        .whenComplete { _ in channel.close(promise: nil) }
      context.eventLoop.scheduleTask(in: .seconds(WebLimits.farewell)) { channel.close(promise: nil) }
    }
  }
#endif
