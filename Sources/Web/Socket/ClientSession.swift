#if Web
  import NIOCore
  import OSC
  import Realtime

  /// A client on a connection: its identity, its rights, and the datagrams that wait for it. The handler of the connection
  /// transports them.
  ///
  /// - Thread: web
  final class ClientSession {
    /// Why a client is disconnected.
    enum Reason {
      /// It closed the connection.
      case left
      /// It is not paired, or its key was revoked.
      case refused
    }

    private let pipeline: WebPipeline
    private let address: IPAddress
    /// nil until the client has rights.
    private var peer: OSCPeer?
    /// The key with which the client has paired; nil if it has not.
    private var key: RemoteKey?
    private var outlet: Outlet?
    private var isStranger = false
    private var strangeness: Int64 = 0
    private var attempts = 0
    private var bucket: TokenBucket?

    /// - Parameters:
    ///   - wake: makes the client's thread call `take`. Thread: any
    init(_ pipeline: WebPipeline, address: IPAddress, wake: @escaping @Sendable () -> Void) {
      (self.pipeline, self.address) = (pipeline, address)
      outlet = Outlet(wake: wake)
    }

    // MARK: Life

    /// Begins the session. Clients on this machine have all rights; those that may send OSC over UDP may read.
    /// - Returns: false if the connection must be closed because too many clients have not paired.
    func begin() -> Bool {
      if pipeline.isReader(address) {
        enter(mayWrite: address.isLoopback)
        return true
      }
      isStranger = pipeline.clients.admitUnpaired()
      return isStranger
    }

    /// Ends the session with its connection.
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

    /// Revokes the client's rights, and ends its subscriptions.
    func leave() {
      forgetStranger()
      guard let peer else { return }
      pipeline.clients.remove(peer)
      pipeline.backend.forget(peer)
      self.peer = nil
    }

    /// Checks the client's rights. Called each `WebLimits.ping` seconds.
    /// - Returns: why it must be disconnected; nil if it may stay.
    func check() -> Reason? {
      strangeness += peer == nil ? WebLimits.ping : 0
      if strangeness >= WebLimits.strangeness { return .refused }
      if let key, !pipeline.authenticator.knows(key) { return .refused }
      return nil
    }

    // MARK: In

    /// Limits the rate of messages.
    /// - Returns: for how many nanoseconds the connection must not be read. What the client sends meanwhile waits in the
    ///   system's buffers.
    func wait(after messages: Int, at now: NIODeadline) -> Int64 {
      let instant = Instant(nanoseconds: now.uptimeNanoseconds)
      if bucket == nil {
        bucket = TokenBucket(capacity: WebLimits.burst, perSecond: WebLimits.rate, now: instant)
      }
      return bucket?.charge(Double(messages), now: instant).nanoseconds ?? 0
    }

    /// Handles a command of OSCQuery. Ignores all others.
    func handle(_ text: String) {
      guard let peer else { return }
      switch SocketCommand(text) {
      case .listen(let address): _ = pipeline.backend.listen(peer, to: address)
      case .ignore(let address): pipeline.backend.ignore(peer, address)
      case nil: break
      }
    }

    /// Handles a datagram.
    /// - Parameter answer: sends a datagram at once; returns false if the client accepts nothing for the moment.
    /// - Returns: why the client must be disconnected; nil if it may stay.
    func handle(_ bytes: [UInt8], answer: ([UInt8]) -> Bool) -> Reason? {
      if bytes.starts(with: Pairing.prefix) { return pair(Pairing.secret(bytes), answer) }
      guard let peer else { return .refused }
      pipeline.backend.receive(bytes, from: peer)
      return nil
    }

    /// Pairs a client that has a key or the PIN.
    private func pair(_ secret: String?, _ answer: ([UInt8]) -> Bool) -> Reason? {
      // For a client that asks without reading, answers would accumulate.
      func report(_ mode: Pairing.Mode, token: String? = nil) -> Reason? {
        answer(Pairing.answer(mode, token: token)) ? nil : .refused
      }
      if let peer, key != nil || peer.mayWrite { return report(peer.mayWrite ? .control : .viewer) }
      guard let secret, !secret.isEmpty else { return report(.needed) }
      attempts += 1
      guard attempts <= Authenticator.tries,
        let key = pipeline.authenticator.key(for: secret, now: pipeline.now())
      else {
        return report(.refused) ?? (attempts >= Authenticator.tries ? .refused : nil)
      }
      self.key = key
      leave()
      enter(mayWrite: key.mayWrite)
      return report(key.mayWrite ? .control : .viewer, token: key.token)
    }

    // MARK: Out

    /// Removes and returns the next datagram for the client; nil if there is none.
    func take() -> [UInt8]? { outlet?.take() }
  }

  /// The handler of an OSC connection, with any framing.
  ///
  /// - Thread: web
  protocol PeerHandler: ChannelInboundHandler {
    /// nil after the end of the connection.
    var session: ClientSession? { get }
    /// A datagram in the connection's framing.
    func framed(_ datagram: [UInt8]) -> NIOAny
  }

  extension PeerHandler {
    /// Sends waiting datagrams until the connection accepts no more.
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
