#if Web
  import NIOCore
  import OSC
  import Realtime

  /// A client on a connection: who it is, what it may do, and what waits for it. How its datagrams travel is the handler's part.
  ///
  /// - Thread: web
  final class ClientSession {
    /// What a client is told when it is thrown out.
    enum Reason {
      /// It said goodbye.
      case left
      /// It is not paired, or its key was revoked.
      case refused
    }

    private let pipeline: WebPipeline
    private let address: IPAddress
    /// nil until the client may speak.
    private var peer: OSCPeer?
    /// The key of a client on another machine.
    private var key: RemoteKey?
    private var outlet: Outlet?
    private var isStranger = false
    private var strangeness: Int64 = 0
    private var attempts = 0
    private var allowance: Allowance?

    /// - Parameters:
    ///   - wake: has the client's thread call `take`. Thread: any
    init(_ pipeline: WebPipeline, address: IPAddress, wake: @escaping @Sendable () -> Void) {
      (self.pipeline, self.address) = (pipeline, address)
      outlet = Outlet(wake: wake)
    }

    // MARK: Life

    /// Begins the conversation. This machine's clients are in; those that may speak OSC over UDP may read.
    /// - Returns: whether it may stay: there are not too many that have shown no key.
    func begin() -> Bool {
      if pipeline.isReader(address) {
        enter(mayWrite: address.isLoopback)
        return true
      }
      isStranger = pipeline.clients.admitStranger()
      return isStranger
    }

    func end() {
      leave()
      outlet = nil
    }

    private func enter(mayWrite: Bool) {
      forgetStranger()
      if let outlet { peer = pipeline.clients.add(outlet, at: address, mayWrite: mayWrite) }
    }

    private func forgetStranger() {
      if isStranger { pipeline.clients.removeStranger() }
      isStranger = false
    }

    /// Ends what the client may do.
    func leave() {
      forgetStranger()
      guard let peer else { return }
      pipeline.clients.remove(peer)
      pipeline.backend.forget(peer)
      self.peer = nil
    }

    /// Looks after the client, each `WebLimits.ping` seconds.
    /// - Returns: why it has to go; nil if it may stay.
    func check() -> Reason? {
      strangeness += peer == nil ? WebLimits.ping : 0
      if strangeness >= WebLimits.strangeness { return .refused }
      if let key, !pipeline.doorkeeper.knows(key) { return .refused }
      return nil
    }

    // MARK: In

    /// How many nanoseconds to read nothing after so many messages: what was sent waits behind itself.
    func wait(after messages: Int, at now: NIODeadline) -> Int64 {
      let instant = Instant(nanoseconds: now.uptimeNanoseconds)
      if allowance == nil {
        allowance = Allowance(capacity: WebLimits.burst, perSecond: WebLimits.rate, now: instant)
      }
      return allowance?.charge(Double(messages), now: instant).nanoseconds ?? 0
    }

    /// Handles a command of OSCQuery.
    func handle(_ text: String) {
      guard let peer else { return }
      switch SocketCommand(text) {
      case .listen(let address): _ = pipeline.backend.listen(peer, to: address)
      case .ignore(let address): pipeline.backend.ignore(peer, address)
      case nil: break
      }
    }

    /// Handles a datagram.
    /// - Parameter answer: sends a datagram at once; it is told whether the client takes anything.
    /// - Returns: why the client has to go; nil if it may stay.
    func handle(_ bytes: [UInt8], answer: ([UInt8]) -> Bool) -> Reason? {
      if bytes.starts(with: Pairing.prefix) { return pair(Pairing.secret(bytes), answer) }
      guard let peer else { return .refused }
      pipeline.backend.receive(bytes, from: peer)
      return nil
    }

    /// Lets a client in that has a key or the PIN.
    private func pair(_ secret: String?, _ answer: ([UInt8]) -> Bool) -> Reason? {
      // Who asks without reading would have the answers pile up.
      func report(_ mode: Pairing.Mode, token: String? = nil) -> Reason? {
        answer(Pairing.answer(mode, token: token)) ? nil : .refused
      }
      if let peer, key != nil || peer.mayWrite { return report(peer.mayWrite ? .control : .viewer) }
      guard let secret, !secret.isEmpty else { return report(.needed) }
      attempts += 1
      guard attempts <= Doorkeeper.tries, let key = pipeline.doorkeeper.key(for: secret, now: pipeline.now())
      else {
        return report(.refused) ?? (attempts >= Doorkeeper.tries ? .refused : nil)
      }
      self.key = key
      leave()
      enter(mayWrite: key.mayWrite)
      return report(key.mayWrite ? .control : .viewer, token: key.token)
    }

    // MARK: Out

    /// The next datagram for the client; nil if there is none.
    func take() -> [UInt8]? { outlet?.take() }
  }

  /// A handler of a connection that speaks OSC, whichever way its datagrams are framed.
  ///
  /// - Thread: web
  protocol PeerHandler: ChannelInboundHandler {
    /// nil after the connection's end.
    var session: ClientSession? { get }
    /// A datagram as the connection carries it.
    func framed(_ datagram: [UInt8]) -> NIOAny
  }

  extension PeerHandler {
    /// Sends what waits, as far as the connection takes it.
    func flush(_ context: ChannelHandlerContext) {
      var hasWritten = false
      while context.channel.isWritable, let bytes = session?.take() {
        context.write(framed(bytes), promise: nil)
        hasWritten = true
      }
      if hasWritten { context.flush() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      flush(context)
      context.fireChannelWritabilityChanged()
    }
  }
#endif
