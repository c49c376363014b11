import OSC
import Realtime
import Synchronization
import Validation

/// Why the web server did not start, and what would be right.
package struct WebStartError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

#if Web
  import Glibc
  import NIOCore
  import NIOPosix

  /// Serves the page, OSCQuery and OSC over WebSockets and TCP, on one TCP port and one thread.
  ///
  /// - Thread: any, except where a method says otherwise
  package final class WebServer: Sendable {
    private let backend: any WebBackend
    private let authenticator: Authenticator
    private let networks: [OSCNetwork]
    private let readers: [OSCNetwork]
    private let certificate: WebCertificate?
    private let clients = WebClients()
    private let counts = ConnectionCounts()
    private let running = Mutex<Running?>(nil)

    private struct Running: Sendable {
      let group: MultiThreadedEventLoopGroup
      let channel: any Channel
    }

    /// Whether the program was built with the web server.
    package static var isIncluded: Bool { true }

    /// - Parameters:
    ///   - keys: the keys of remotes on other machines.
    ///   - networks: the networks that may connect, besides this machine.
    ///   - readers: networks whose clients need no key to read, because they may send OSC over UDP.
    ///   - certificate: for https, to which other machines are then redirected; nil for http only.
    package init(
      backend: any WebBackend, keys: KeyFile, networks: [OSCNetwork] = [], readers: [OSCNetwork] = [],
      certificate: WebCertificate? = nil
    ) {
      (self.backend, self.networks, self.readers) = (backend, networks, readers)
      self.certificate = certificate
      authenticator = Authenticator(keys)
    }

    deinit { stop() }

    /// Sends datagrams to the clients.
    package var carrier: any OSCCarrier { clients }

    /// How many clients with rights are connected, on WebSockets and TCP.
    package var clientCount: Int { clients.count }

    /// Opens the port and starts the web thread.
    ///
    /// - Parameters:
    ///   - address: a numeric one; 0.0.0.0 or :: for all interfaces.
    ///   - port: 0 for any free one.
    /// - Returns: the port, never 0.
    /// - Throws: `WebStartError`. Nothing is left open then.
    /// - Thread: any but web
    package func start(address text: String, port: UInt16) throws(WebStartError) -> UInt16 {
      guard let address = IPAddress(text) else {
        throw WebStartError(description: "web address \(quoted(text)): must be numeric, such as 127.0.0.1")
      }
      var identity: TLSIdentity?
      if let certificate { identity = try TLSIdentity(certificate) }
      let pipeline = WebPipeline(
        rules: WebRules(address: address, certificate: identity?.names), backend: backend, clients: clients,
        authenticator: authenticator, readers: readers, identity: identity)
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      do {
        let channel = try bootstrap(group, pipeline).bind(host: text, port: Int(port)).wait()
        running.withLock { $0 = Running(group: group, channel: channel) }
        return UInt16(channel.localAddress?.port ?? 0)
      } catch {
        group.shutdownGracefully { _ in }
        let isTaken = (error as? IOError)?.errnoCode == EADDRINUSE
        throw WebStartError(
          description: isTaken
            ? "no web remote: TCP port \(port) on \(address) is taken by another program; --osc-port chooses another for both"
            : "no web remote: TCP port \(port) on \(address): \(error)")
      }
    }

    private func bootstrap(_ group: MultiThreadedEventLoopGroup, _ pipeline: WebPipeline) -> ServerBootstrap {
      ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.so_sndbuf), value: SocketOptionValue(WebLimits.socketBuffer))
        .childChannelOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(WebLimits.socketBuffer))
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        // A client on TCP may send nothing for hours. If its machine is gone, the system finds out by keepalive probes.
        .childChannelOption(.socketOption(.so_keepalive), value: 1)
        .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 60)
        .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
        .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 4)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelOption(
          .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: WebLimits.reading)
        )
        .childChannelOption(.writeBufferWaterMark, value: .init(low: 8_192, high: 32_768))
        .childChannelInitializer { [counts, networks] channel in
          channel.eventLoop.makeCompletedFuture {
            guard let address = channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }),
              address.isLoopback || networks.contains(where: { $0.contains(address) }), counts.add(address)
            else {
              channel.close(promise: nil)
              return
            }
            channel.closeFuture.whenComplete { _ in counts.remove(address) }
            try pipeline.configure(channel, from: address)
          }
        }
    }

    /// Closes all connections and ends the thread. Waits at most 1 s.
    /// - Thread: any but web
    package func stop() {
      guard let stopping = running.withLock({ $0.take() }) else { return }
      stopping.channel.close(promise: nil)
      let ended = MonotonicSemaphore()
      stopping.group.shutdownGracefully { _ in ended.signal() }
      _ = ended.wait(for: .seconds(1))
    }
  }
#else
  /// Replaces the web server in a program that was built without it.
  package final class WebServer: Sendable {
    package static var isIncluded: Bool { false }
    package init(
      backend: any WebBackend, keys: KeyFile, networks: [OSCNetwork] = [], readers: [OSCNetwork] = [],
      certificate: WebCertificate? = nil
    ) {}
    package var carrier: (any OSCCarrier)? { nil }
    package var clientCount: Int { 0 }
    package func start(address: String, port: UInt16) throws(WebStartError) -> UInt16 {
      throw WebStartError(description: "no web remote: this Tactus was built without it")
    }
    package func stop() {}
  }
#endif
